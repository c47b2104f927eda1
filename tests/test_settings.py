"""Settings: valid or not made, and equal when the experiment is the same."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.positions import Pairs, Stretched
from explorer.settings import (
    MAX_CHARACTERS,
    MAX_NUMBER,
    MAX_TOKENS,
    Mask,
    Scale,
    Settings,
    divisors,
    table,
)

TWO_BY_TWO = ((1.0, 2.0), (3.0, 4.0))


def refusal(**given):
    """What the reader is told about settings that cannot be."""
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the callers look at the message)
        Settings(**given)
    return str(error.value)


def test_the_defaults_never_change():
    """A link leaves them out, and a link must open for ever."""
    assert {field.name: field.default for field in fields(Settings)} == {
        "text": "The cat sat on the warm mat",
        "cut": "words",
        "d_model": 4,
        "x": None,
        "qkv": False,
        "n_heads": 1,
        "d_k": None,
        "d_v": None,
        "w_q": None,
        "w_k": None,
        "w_v": None,
        "w_o": None,
        "position": "none",
        "pairs": "neighbours",
        "base": 10_000,
        "stretch": 1.0,
        "stretched": "places",
        "scale": "raw",
        "temperature": 1.0,
        "rule": "softmax",
        "mask": (),
        "radius": 1,
        "pad": 1,
        "custom": None,
        "seed": 0,
    }


def test_the_codes_in_links_never_change():
    assert [str(scale) for scale in Scale] == ["raw", "sqrt_d_k"]
    assert [str(mask) for mask in Mask] == ["causal", "window", "padding", "custom"]
    assert list(SCHEMES) == ["none", "sinusoidal", "halves", "rotary", "alibi"]
    assert list(NORMALISERS) == ["softmax", "total"]
    assert [str(pairs) for pairs in Pairs] == ["neighbours", "halves"]
    assert [str(stretched) for stretched in Stretched] == ["places", "ntk"]


# Equal and hashable


@pytest.mark.parametrize(
    "mask",
    [
        (Mask.CAUSAL, Mask.PADDING),
        (Mask.PADDING, Mask.CAUSAL),
        ("padding", "causal"),
        ["causal", "padding", "causal"],
        {Mask.CAUSAL, Mask.PADDING},
    ],
)
def test_the_order_of_masks_makes_no_other_settings(mask):
    settings = Settings(mask=mask)
    assert settings.mask == (Mask.CAUSAL, Mask.PADDING)
    assert settings == Settings(mask=(Mask.CAUSAL, Mask.PADDING))
    assert hash(settings) == hash(Settings(mask=(Mask.CAUSAL, Mask.PADDING)))


def test_a_scale_may_be_given_by_its_code():
    settings = Settings(scale="sqrt_d_k")
    assert settings.scale is Scale.SQRT_D_K
    assert settings == Settings(scale=Scale.SQRT_D_K)


def test_settings_with_tables_can_be_compared_and_hashed():
    one, same, other = (
        Settings(text="a b", d_model=2, x=table(rows))
        for rows in ([[1, 2], [3, 4]], np.array([[1.0, 2.0], [3.0, 4.0]]), [[1, 2], [3, 5]])
    )
    assert one == same
    assert hash(one) == hash(same)
    assert one != other


@pytest.mark.parametrize(
    "change",
    [
        {"text": "the cat sat on the warm mat"},
        {"d_model": 6},
        {"qkv": True},
        {"n_heads": 2},
        {"scale": Scale.SQRT_D_K},
        {"mask": (Mask.CAUSAL,)},
        {"radius": 2},
        {"pad": 2},
        {"seed": 1},
    ],
)
def test_another_value_makes_other_settings(change):
    assert Settings(**change) != Settings()


def test_settings_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Settings().seed = 1


# What follows


@pytest.mark.parametrize(
    ("given", "d_query", "d_value", "d_joined"),
    [
        ({"d_model": 8}, 8, 8, 8),
        ({"d_model": 8, "n_heads": 4}, 2, 2, 8),
        ({"d_model": 8, "n_heads": 4, "qkv": True}, 2, 2, 8),
        ({"d_model": 8, "n_heads": 4, "qkv": True, "d_k": 3}, 3, 3, 12),
        ({"d_model": 8, "n_heads": 4, "qkv": True, "d_v": 5}, 2, 5, 20),
        ({"d_model": 8, "n_heads": 3, "qkv": True, "d_k": 3, "d_v": 1}, 3, 1, 3),
        ({"d_model": 8, "n_heads": 4, "d_k": 3, "d_v": 5}, 2, 2, 8),  # without projections
    ],
)
def test_the_features_of_a_head_are_said_or_worked_out(given, d_query, d_value, d_joined):
    settings = Settings(**given)
    assert (settings.d_query, settings.d_value, settings.d_joined) == (d_query, d_value, d_joined)


@pytest.mark.parametrize(
    ("given", "has_w_o"),
    [
        ({}, False),
        ({"n_heads": 2}, False),
        ({"qkv": True}, True),
        ({"qkv": True, "n_heads": 2}, True),
        ({"qkv": True, "d_v": 3}, False),
        ({"qkv": True, "n_heads": 2, "d_k": 3, "d_v": 2}, True),
        ({"qkv": True, "d_k": 3}, False),
    ],
)
def test_there_is_an_output_matrix_where_it_would_be_square(given, has_w_o):
    assert Settings(d_model=4, **given).has_w_o is has_w_o


@pytest.mark.parametrize(
    ("given", "factor"),
    [
        ({"d_model": 16}, 1),
        ({"d_model": 16, "scale": "sqrt_d_k"}, 1 / 4),
        ({"d_model": 16, "scale": "sqrt_d_k", "n_heads": 4}, 1 / 2),
        ({"d_model": 16, "scale": "sqrt_d_k", "qkv": True, "d_k": 64}, 1 / 8),
        ({"d_model": 16, "scale": "sqrt_d_k", "qkv": True, "d_v": 64}, 1 / 4),
        ({"d_model": 16, "scale": "raw", "qkv": True, "d_k": 64}, 1),
    ],
)
def test_the_factor_is_that_of_the_queries_of_one_head(given, factor):
    assert Settings(**given).factor == factor


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ["####", "####", "####", "####"]),
        ({"mask": ["causal"]}, ["#...", "##..", "###.", "####"]),
        ({"mask": ["window"]}, ["##..", "###.", ".###", "..##"]),
        ({"mask": ["window"], "radius": 0}, ["#...", ".#..", "..#.", "...#"]),
        ({"mask": ["padding"]}, ["###.", "###.", "###.", "###."]),
        ({"mask": ["padding"], "pad": 64}, ["....", "....", "....", "...."]),
        ({"mask": ["causal", "window"]}, ["#...", "##..", ".##.", "..##"]),
        ({"mask": ["causal", "padding"], "pad": 2}, ["#...", "##..", "##..", "##.."]),
        ({"mask": ["window", "padding"], "pad": 2}, ["##..", "##..", ".#..", "...."]),
        ({"mask": list(Mask), "pad": 2}, ["#...", "##..", ".#..", "...."]),
        ({"radius": 0, "pad": 3}, ["####", "####", "####", "####"]),
    ],
)
def test_a_key_is_seen_if_every_chosen_mask_shows_it(given, expected):
    visible = Settings(text="a b c d", **given).visible
    assert ["".join(".#"[seen] for seen in row) for row in visible.astype(int)] == expected


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_sentence_is_an_experiment_too(text):
    assert Settings(text=text).tokens == ()
    assert Settings(text=text, mask=tuple(Mask)).visible.shape == (0, 0)
    assert Settings(text=text, d_model=2, x=()).tokens == ()


@pytest.mark.parametrize(
    ("number", "expected"), [(1, (1,)), (7, (1, 7)), (10, (1, 2, 5, 10)), (12, (1, 2, 3, 4, 6, 12))]
)
def test_divisors(number, expected):
    assert divisors(number) == expected


# What is refused


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("d_model", 2, 64),
        ("n_heads", 1, 64),
        ("d_k", 1, 64),
        ("d_v", 1, 64),
        ("seed", 0, 999_999),
        ("radius", 0, MAX_TOKENS),
        ("pad", 0, MAX_TOKENS),
    ],
)
def test_a_whole_number_out_of_bounds_is_refused_with_the_bounds(name, least, most):
    roomy = {"d_model": 64, "qkv": True}
    for allowed in (least, most):
        assert getattr(Settings(**roomy | {name: allowed}), name) == allowed
    for given in (least - 1, most + 1, -5, 2.5, 4.0, "4", True, float("nan")):
        said = refusal(**roomy | {name: given})
        assert f"whole number from {least} to {most:,}; got {given!r}." in said


def test_the_refused_number_is_named():
    assert "dimension d_model" in refusal(d_model=1)
    assert "number of heads" in refusal(n_heads=0)
    assert refusal(d_v=0).startswith("d_v must")


@pytest.mark.parametrize("n_heads", [3, 4, 11])
def test_heads_that_do_not_divide_d_model_are_refused_with_those_that_do(n_heads):
    said = refusal(d_model=10, n_heads=n_heads)
    assert "must divide d_model" in said
    assert f"d_model = 10 and n_heads = {n_heads}" in said
    assert "Possible here: 1, 2, 5, 10." in said
    assert refusal(d_model=10, n_heads=n_heads, qkv=True) == said
    assert refusal(d_model=10, n_heads=n_heads, d_k=3) == said  # without projections, d_k is idle
    assert Settings(d_model=10, n_heads=n_heads, qkv=True, d_k=3).d_query == 3


def test_a_sentence_as_long_as_can_be_is_taken_and_one_token_more_refused():
    assert len(Settings(text="a " * MAX_TOKENS).tokens) == MAX_TOKENS
    said = refusal(text="a " * (MAX_TOKENS + 1))
    assert f"up to {MAX_TOKENS} tokens" in said
    assert f"has {MAX_TOKENS + 1}" in said


def test_a_sentence_of_8000_characters_is_taken_and_one_more_refused():
    assert MAX_CHARACTERS == 8000
    assert Settings(text="a" * 8000).tokens == ("a" * 8000,)
    said = refusal(text="a" * 8001)
    assert "up to 8,000 characters" in said
    assert "has 8,001" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"x": TWO_BY_TWO}, "The embeddings must have 3 rows and 2 columns.*got 2 by 2"),
        ({"x": ((1, 2),) * 4}, "The embeddings must have 3 rows and 2 columns.*got 4 by 2"),
        ({"x": ((1, 2, 3),) * 3}, "The embeddings must have 3 rows and 2 columns.*got 3 by 3"),
        ({"x": ((1, 2), (1, 2), (1,))}, "The embeddings must have 3 rows and 2 columns.*got 3 by"),
        ({"x": ()}, "The embeddings must have 3 rows and 2 columns.*got 0"),
        ({"x": ((),) * 3}, "The embeddings must have 3 rows and 2 columns.*got 3 by 0"),
        ({"w_q": ((1,), (2,))}, "W_Q must have 2 rows and 2 columns.*got 2 by 1"),
        ({"w_k": ((1, 2),)}, "W_K must have 2 rows and 2 columns.*got 1 by 2"),
        ({"w_v": TWO_BY_TWO, "d_v": 3}, "W_V must have 2 rows and 3 columns.*got 2 by 2"),
        (
            {"w_q": TWO_BY_TWO, "n_heads": 3, "d_k": 2},
            "W_Q must have 2 rows and 6 columns.*got 2 by 2",
        ),
    ],
)
def test_a_table_of_another_shape_is_refused_with_both_shapes(given, said):
    with pytest.raises(ValueError, match=said):
        Settings(text="a b c", d_model=2, qkv=True, **given)


def test_tables_of_the_right_shapes_are_taken():
    settings = Settings(
        text="a b c",
        d_model=2,
        x=((1, 2),) * 3,
        qkv=True,
        n_heads=3,
        d_k=2,
        d_v=1,
        w_q=((0,) * 6,) * 2,
        w_k=((0,) * 6,) * 2,
        w_v=((0,) * 3,) * 2,
    )
    assert settings.d_joined == 3


@pytest.mark.parametrize("name", ["x", "w_q", "w_k", "w_v"])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1_000_001, -1e300])
def test_a_number_too_large_or_none_at_all_is_refused_with_its_cell(name, number):
    rows = ((1.0, 2.0), (number, 4.0))
    with pytest.raises(ValueError, match=r"from -1,000,000 to 1,000,000.*row 2, column 1") as error:
        Settings(text="a b", d_model=2, qkv=True, **{name: rows})
    assert str(number) in str(error.value)


def test_the_largest_numbers_allowed_are_taken():
    rows = ((MAX_NUMBER, -MAX_NUMBER), (0.0, -0.0))
    assert Settings(text="a b", d_model=2, x=rows).x == rows


@pytest.mark.parametrize("given", [{"scale": "cubed"}, {"mask": ("cubed",)}])
def test_an_unknown_code_is_refused_by_name(given):
    assert "cubed" in refusal(**given)
