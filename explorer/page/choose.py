"""The controls of a parameter: one choice among several codes, or a whole number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from explorer.page.session import address


def choose(
    name: str,
    label: str,
    codes: Iterable[Any],
    title: Callable[[Any], str],
    *,
    as_list: bool = False,
    wrap: bool = False,
    width: int | None = None,
    **more: Any,
) -> None:
    """Choose one of the codes, whose titles the reader sees: by buttons, or from a list.

    wrap: whether buttons may stand in several rows. width: of a list, in pixels; None: all there
    is. more: what else Streamlit's control is to know.
    """
    # Plain text, not members of enumerations: Streamlit would change those.
    options = [str(code) if isinstance(code, str) else code for code in codes]
    more = address.named(name) | more
    if as_list:
        st.selectbox(label, options, format_func=title, width=width or "stretch", **more)
    else:
        st.segmented_control(label, options, format_func=title, wrap=wrap, required=True, **more)


def choose_here(
    key: str, label: str, options: list[str], first: str, *, buttons: bool = False, **more: Any
) -> str:
    """Choose what no link tells: it is kept for as long as it is among the options.

    first: what is chosen to begin with. more: what else Streamlit's control is to know.
    """
    address.keep(key, options, first)
    if buttons:
        return st.segmented_control(label, options, key=key, required=True, **more)
    return st.selectbox(label, options, key=key, **more)


def whole_number(name: str, label: str, allowed: range, **more: Any) -> None:
    """Type or step to a whole number."""
    st.number_input(label, allowed[0], allowed[-1], **address.named(name) | more)


def slide(name: str, label: str, allowed: range, **more: Any) -> None:
    """Slide to a whole number."""
    st.slider(label, allowed[0], allowed[-1], **address.named(name) | more)
