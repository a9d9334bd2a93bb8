"""Remembered text as it is shown: without what a person would not see but a model reads or a terminal obeys."""

import re

_HIDDEN = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]"  # terminal sequences
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # control
    "|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"  # zero width, bidi
    "|[\U000e0000-\U000e007f]"  # tags, which spell text that nobody sees
)


def clean(text: str) -> str:
    """Return text without control, bidi, zero-width and tag characters; line ends and tabs stay."""
    return _HIDDEN.sub("", text)


def line(text: str) -> str:
    """Return text on one line."""
    return " ".join(clean(text).split())
