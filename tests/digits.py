"""Texts that are alike: the same but for their digits."""

from __future__ import annotations

import re

from hypothesis import strategies as st


def with_other_digits(text: str, data: st.DataObject) -> str:
    """Draw each digit anew."""
    return re.sub("[0-9]", lambda _: data.draw(st.sampled_from("0123456789")), text)
