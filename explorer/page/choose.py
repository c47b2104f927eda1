"""One choice among several codes, as buttons or as a list."""

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
    **more: Any,
) -> None:
    """Draw the control of a parameter. What it says is in the state of the page.

    title: what the reader sees of a code. as_list: for more codes than there is room for buttons.
    more: what else Streamlit's control is to know; it is named `name` unless this says otherwise.
    """
    # Plain text, not members of enumerations: Streamlit would change those.
    options = [str(code) if isinstance(code, str) else code for code in codes]
    if as_list:
        st.selectbox(label, options, format_func=title, **address.named(name) | more)
    else:
        more = {"required": True} | more
        st.segmented_control(label, options, format_func=title, **address.named(name) | more)
