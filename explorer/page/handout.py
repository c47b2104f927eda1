"""One HTML file with the whole experiment: interactive, and in need of no network.

It can be opened from an e-mail or a course page years from now: the drawing library is inside.
"""

from __future__ import annotations

from html import escape

from plotly.offline import get_plotlyjs

from explorer import labels
from explorer.figures.figure import Figure
from explorer.figures.matrix import layout
from explorer.operations.normalisers import NORMALISERS
from explorer.operations.schemes import SCHEMES
from explorer.page.attention_view import arrow_graph, shown_steps, step_figure
from explorer.page.chart import validated
from explorer.rendering import panel, plain
from explorer.settings import Scale, Settings
from explorer.trace import AttentionTrace
from explorer.view import View
from explorer.walks import opened, step_of

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
    parts = [f"<h1>{escape(settings.text)}</h1>"]
    graph = arrow_graph(t, view)
    arrows = graph.figure.widened(max(640, 64 * len(t.tokens)))
    parts.append(f'<div class="arrows">{_chart(arrows, graph.alt)}</div><div class="steps">')
    for count, shown in enumerate(shown_steps(t, settings, view), start=1):
        told = shown.told
        parts.append(
            f"<div><h2>{count} {escape(told.title)}</h2><p class='small'>{escape(told.shapes)}</p>"
            f"{_chart(step_figure(shown, view, frame), told.title)}"
            f"<p class='small'>{escape(told.question)}</p></div>"
        )
    heading, lines = arithmetic(t, view)
    parts.append(f"</div><h2>Where a number comes from: {escape(heading)}</h2>")
    parts.append(f"<pre>{escape(chr(10).join(lines))}</pre>")
    parts.append(f"<h2>Settings</h2><p>{escape(_settings(settings))}</p>")
    parts.append(f'<p><a href="{escape(link)}">Open this in the Self-Attention Explorer</a></p>')
    title = escape(labels.shown(settings.text, 60))
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<script>{get_plotlyjs()}</script></head><body>{''.join(parts)}</body></html>"
    )


def _chart(figure: Figure, alt: str) -> str:
    checked = validated(figure).update_layout(template="plotly_white")
    drawn = checked.to_html(full_html=False, include_plotlyjs=False, config=_CONFIG)
    return f'<div role="img" aria-label="{escape(alt)}">{drawn}</div>'


def arithmetic(t: AttentionTrace, view: View) -> tuple[str, list[str]]:
    """The opened number in words, and its arithmetic as plain text."""
    step = step_of(t, view.step, view.head)
    assert step is not None
    said = panel.panel(t, view)
    if said.formula:
        shown = panel.worked(t, step, opened(view, step)).writable
        return panel.heading(t, view), plain.worked(shown, view.decimals)
    return panel.heading(t, view), [said.said.replace("**", "")]


def _settings(settings: Settings) -> str:
    scale = (
        "raw scores" if settings.scale is Scale.RAW else f"scores divided by √{settings.d_query}"
    )
    masks = f"mask: {', '.join(settings.mask)}" if settings.mask else "no mask"
    own = "separate Q, K, V" if settings.qkv else "Q = K = V = X"
    heads = f"{settings.n_heads} heads" if settings.n_heads > 1 else "one head"
    more, usual = "", Settings()
    if settings.position != usual.position:
        more += f"; positions: {SCHEMES[settings.position].title}"
    for name in SCHEMES[settings.position].knobs:
        if getattr(settings, name) != getattr(usual, name):
            more += f" ({name} {getattr(settings, name)})"
    if settings.temperature != 1:
        more += f"; temperature {settings.temperature:g}"
    if settings.rule != usual.rule:
        more += f"; weights by {NORMALISERS[settings.rule].title}"
    return (
        f"d_model {settings.d_model}; {heads}; {own}; {scale}; {masks}{more}; seed {settings.seed}."
    )
