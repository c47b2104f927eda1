"""One HTML file with the whole experiment: interactive, and in need of no network.

It can be opened from an e-mail or a course page years from now: the drawing library is inside.
"""

from __future__ import annotations

import html

from plotly.offline import get_plotlyjs

from explorer import describe, labels, worked
from explorer.figures.figure import Figure
from explorer.figures.matrix import layout
from explorer.page.attention_view import arrow_graph, shown_steps, step_figure
from explorer.page.chart import validated
from explorer.settings import Position, Rule, Scale, Settings
from explorer.trace import AttentionTrace
from explorer.view import Step, View

_CONFIG = {"displaylogo": False, "responsive": False}
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem;
  color: #0b0f16; background: #fff; }
.steps { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
.steps > div, .arrows { overflow-x: auto; max-width: 100%; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.25rem; } p { margin: 0.25rem 0; }
.small { color: #555b66; font-size: 0.875rem; max-width: 24rem; }
pre { overflow-x: auto; background: #f3f5f8; padding: 0.75rem; }
"""


def handout(t: AttentionTrace, settings: Settings, view: View, link: str) -> str:
    """The page as one file: sentence, arrows, every step, one number's arithmetic, the settings."""
    frame = layout(t.tokens)
    parts = [f"<h1>{_text(settings.text)}</h1>"]
    graph = arrow_graph(t, view)
    arrows = graph.figure.widened(max(640, 64 * len(t.tokens)))
    parts.append(f'<div class="arrows">{_chart(arrows, graph.alt)}</div><div class="steps">')
    for count, shown in enumerate(shown_steps(t, settings, view), start=1):
        told = shown.told
        parts.append(
            f"<div><h2>{count} {_text(told.title)}</h2><p class='small'>{_text(told.shapes)}</p>"
            f"{_chart(step_figure(shown, view, frame), told.title)}"
            f"<p class='small'>{_text(told.question)}</p></div>"
        )
    heading, lines = _arithmetic(t, settings, view)
    parts.append(f"</div><h2>Where a number comes from: {_text(heading)}</h2>")
    parts.append(f"<pre>{_text(chr(10).join(lines))}</pre>")
    parts.append(f"<h2>Settings</h2><p>{_text(_settings(settings))}</p>")
    parts.append(
        f'<p><a href="{html.escape(link)}">Open this in the Self-Attention Explorer</a></p>'
    )
    title = html.escape(labels.shown(settings.text, 60))
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<script>{get_plotlyjs()}</script></head><body>{''.join(parts)}</body></html>"
    )


def _chart(figure: Figure, alt: str) -> str:
    checked = validated(figure).update_layout(template="plotly_white")
    drawn = checked.to_html(full_html=False, include_plotlyjs=False, config=_CONFIG)
    return f'<div role="img" aria-label="{html.escape(alt)}">{drawn}</div>'


def _arithmetic(t: AttentionTrace, settings: Settings, view: View) -> tuple[str, list[str]]:
    """The picked number's terms as plain text; of other steps than these, its weight's."""
    h, i, j, c, places = view.head, view.query, view.key, view.feature, view.decimals
    asks, answers = (f"“{describe.word(t.tokens, n)}”" for n in (i, j))
    if h is None:
        terms = " + ".join(labels.number(w, places) for w in worked.average(t, i, j))
        value = labels.number(t.weights_of(None)[i, j], places)
        return f"average weight from {asks} to {answers}", [f"({terms}) / {t.n_heads} = {value}"]
    if view.step is Step.SCORES:
        return f"score from {asks} to {answers}", _sum(worked.score(t, h, i, j), places)
    if view.step is Step.CONTEXT:
        heading = f"context of {asks}, feature {c + 1}"
        return heading, _sum(worked.context(t, h, i, c), places)
    heading = f"weight from {asks} to {answers}"
    if not t.visible[i, j]:
        return heading, [f"{asks} may not see {answers}, so the weight is 0."]
    if settings.rule is Rule.TOTAL:
        divided = worked.total(t, h, i, j)
        terms = " + ".join(labels.number(s, places) for s in divided.scores)
        own = labels.number(divided.scores[divided.chosen], places)
        return heading, [f"{own} / ({terms})", f"= {labels.number(t.weights[h, i, j], places)}"]
    softmax = worked.softmax(t, h, i, j)
    seen = [labels.number(s, places) for s in softmax.scores if s != float("-inf")]
    own = labels.number(softmax.scores[j], places)
    lines = [f"e^{own} / ({' + '.join(f'e^{s}' for s in seen)})"]
    if softmax.fits:
        lines.append(
            f"= {labels.number(softmax.exponentials[j], places + 1)} / "
            f"{labels.number(softmax.total, places + 1)}"
        )
    return heading, [*lines, f"= {labels.number(softmax.value, places)}"]


def _sum(sum_: worked.DotProduct, places: int) -> list[str]:
    factors = [
        f"{labels.number(a, places)} · {labels.number(b, places)}"
        for a, b in zip(sum_.left, sum_.right, strict=True)
    ]
    return [" + ".join(factors), f"= {labels.number(sum_.value, places)}"]


def _settings(settings: Settings) -> str:
    scale = (
        "raw scores" if settings.scale is Scale.RAW else f"scores divided by √{settings.d_query}"
    )
    masks = f"mask: {', '.join(settings.mask)}" if settings.mask else "no mask"
    own = "separate Q, K, V" if settings.qkv else "Q = K = V = X"
    heads = f"{settings.n_heads} heads" if settings.n_heads > 1 else "one head"
    more = ""
    if settings.position is not Position.NONE:
        more += f"; positions: {settings.position}"
    if settings.temperature != 1:
        more += f"; temperature {settings.temperature:g}"
    if settings.rule is Rule.TOTAL:
        more += "; weights by plain division"
    return (
        f"d_model {settings.d_model}; {heads}; {own}; {scale}; {masks}{more}; seed {settings.seed}."
    )


def _text(text: str) -> str:
    return html.escape(text)
