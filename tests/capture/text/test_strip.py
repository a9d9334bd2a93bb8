"""Private blocks never get past the first step of a write."""

import time

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.text.clean import strip_from
from tests.table import table

OPENERS = st.sampled_from(
    [
        "<private>",
        "<PRIVATE>",
        "< Private >",
        '<private reason="a > b">',
        "<private\n>",
        "<private/>",
        "<pri\u200bvate>",
    ]
)
CLOSERS = st.sampled_from(["</private>", "</PRIVATE>", "< / private >", "</private\n>", "</priv\u200date>"])
OUTSIDE = st.text(alphabet="abc <>/&\n", max_size=12)
HIDDEN = "s3cr3t"


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2) -> str:
    """A private block: secrets, and further blocks nested in it."""
    inner = draw(st.lists(blocks(depth=depth - 1), max_size=2)) if depth else []
    return draw(OPENERS) + HIDDEN.join(["", *inner, ""]) + HIDDEN + draw(CLOSERS)


@given(st.lists(st.tuples(OUTSIDE, blocks()), min_size=1, max_size=4), OUTSIDE)
def test_nothing_that_stood_inside_a_private_block_is_left(parts: list[tuple[str, str]], tail: str) -> None:
    text = "".join(outside + block for outside, block in parts) + tail
    assert HIDDEN not in strip_from(text, 0)[0]


@given(st.text(alphabet="<>/private PRIVATE\u200b\n", max_size=60))
def test_stripping_twice_changes_nothing(text: str) -> None:
    once = strip_from(text, 0)[0]
    assert strip_from(once, 0)[0] == once


@given(st.lists(blocks(), min_size=1, max_size=3), st.integers(min_value=0, max_value=200))
def test_a_block_cut_anywhere_between_two_pieces_stays_private(parts: list[str], cut: int) -> None:
    text = "a ".join(parts).replace("\u200b", "").replace("\u200d", "")
    start = text.find(HIDDEN, cut) if HIDDEN in text[cut:] else 0
    first, depth = strip_from(text[:start], 0)
    second, _ = strip_from(text[start:], depth)
    assert HIDDEN not in first + second


@table(
    ("text", "left"),
    [
        ("The key is <private>API_KEY=secret123</private> here.", "The key is  here."),
        ("a<private>b<private>c</private>d</private>e", "ae"),
        ("a <PRIVATE>b</Private> c", "a  c"),
        ('a < private why="x" >b< / private > c', "a  c"),
        ("a <private>b", "a "),
        ("a <private>b<private>c</private>d", "a "),
        ("a <private", "a "),
        ("a <private/> b", "a "),
        ("a </private> b", " b"),
        ("a <private>x</private> b </private> c", " c"),
        ("a </private", ""),
        ("<private>a</private b", ""),
        ("<private>a</private b<i>c", ""),
        ("a <pri\u200bvate>b</private> c", "a  c"),
        ("a <\x1b[1mprivate>b</private> c", "a  c"),
        ("<pri<private>x</private>vate>b", ""),
        ("`<private>` is a tag", "`"),
    ],
)
def test_when_in_doubt_text_is_dropped(text: str, left: str) -> None:
    assert strip_from(text, 0)[0] == left


@table(
    "text",
    [
        "",
        "nothing private here",
        "ssh -i <private-key>",
        "a <privateer> b",
        "if a < b: private = 1",
        "<b>private</b>",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert strip_from(text, 0)[0] == text


def test_a_piece_in_the_middle_of_a_block_is_dropped_whole() -> None:
    assert strip_from("still secret", 1) == ("", 1)
    assert strip_from("still secret</private> public", 1) == (" public", 0)


@table("unit", ["<", "< ", "</", "<private>", "</private>", "<private", "<private><", "\x1b<"])
def test_a_megabyte_of_tags_takes_bounded_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    strip_from(text, 0)[0]
    assert time.process_time() - began < 8
