"""A figure is plain data: what travels is what Plotly would send, and what Plotly takes."""

import json

import numpy as np
import pytest
from figures.checked import checked

from explorer.figures import layer_lines
from explorer.figures.arrows import arrows, columns
from explorer.figures.enlarged import enlarged
from explorer.figures.figure import Figure
from explorer.figures.heads import heads
from explorer.figures.lines import lines
from explorer.figures.maps import maps
from explorer.figures.matrix import Kind, layout, matrix, row_bounds
from explorer.figures.plane import plane

WORDS = ("the", "<b>", "\ud83d\ude00", "mat")
WEIGHTS = np.array([[0.1, 0.2, 0.3, 0.4], [0, 0, 1, 0], [0.25] * 4, [np.nan] * 4])
CAUSAL = ~np.tri(4, dtype=bool)
POINTS = np.array([[0.0, 0], [1, 0], [0, 2], [1, 1]])
CELLS = {"rows": WORDS, "columns": WORDS, "kind": Kind.SIGNED, "frame": layout(WORDS)}

FIGURES = {
    "matrix": matrix(WEIGHTS, **CELLS, hidden=CAUSAL, beside=["1.000"] * 4),
    "matrix by row": matrix(WEIGHTS, **CELLS, row_bounds=row_bounds(WEIGHTS), turned=True),
    "large matrix": matrix(
        np.ones((20, 2)), rows=["w"] * 20, columns="12", kind=Kind.WEIGHTS, frame=layout(WORDS)
    ),
    "arrows": arrows(WEIGHTS, WORDS, list("abcd"), list("efgh"), focus=2),
    "columns": columns(WEIGHTS, WORDS, list("abcd"), list("efgh"), focus=2),
    "heads": heads(np.stack([WEIGHTS[:3, :3]] * 2), np.tri(3, dtype=bool)),
    "maps": maps(np.full((2, 3, 4, 4), 0.25)),
    "lines": lines(
        [1, 2], {"a": [0.5, 1]}, x_title="x", y_title="y", marked=2, x_range=(0, 3), y_range=(0, 1)
    ),
    "powers": lines(
        [1, 2], {"a": [0, 1e-9]}, x_title="x", y_title="y", doubling=True, y_powers=True, ticks=[1]
    ),
    "layer lines": layer_lines.lines(WEIGHTS[:3], WORDS[:3], WORDS, ("layer", "cosine")),
    "plane": plane(POINTS, POINTS / 2, WORDS, focus=1, pulls=POINTS, axes=("one", "two")),
}
FIGURES["enlarged"] = enlarged(FIGURES["matrix"], 1.6)
FIGURES["widened"] = FIGURES["arrows"].widened(640)


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_plotly_knows_every_part_of_a_figure_and_sends_the_same(figure):
    """Its own copy is made with every part checked: a part it does not know is an error."""
    theirs = json.loads(checked(figure).to_json())
    theirs["layout"].pop("template", None)
    assert json.loads(figure.to_json()) == theirs


@pytest.mark.parametrize(
    "wrong",
    [
        Figure([{"type": "heatmap", "zed": [[1]]}], {}),
        Figure([{"type": "heatmap", "zmin": "low"}], {}),
        Figure([], {"hight": 100}),
    ],
)
def test_what_plotly_does_not_know_is_seen(wrong):
    with pytest.raises(ValueError, match=r"[Ii]nvalid"):
        checked(wrong)


@pytest.mark.parametrize("nothing", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_null_and_in_an_array_itself(nothing):
    array = np.array([[nothing, 1]], dtype=np.float32)
    text = Figure([{"y": [nothing, 1.0]}, {"z": array}], {"a": {"b": nothing}}).to_json()
    sent = json.loads(text, parse_constant=pytest.fail)
    assert sent["data"][0] == {"y": [None, 1.0]}
    assert sent["layout"] == {"a": {"b": None}}
    assert checked(Figure([{"type": "heatmap", **sent["data"][1]}], {})).data[0].z["bdata"]


def test_another_width_leaves_the_figure_as_it_was():
    figure = FIGURES["arrows"]
    assert figure.width == "stretch"
    assert figure.widened(640).width == 640
    assert figure.width == "stretch"
    assert figure.widened(640).height == figure.height
