"""Any text becomes clean text: nothing invisible, one spelling, plain line ends."""

import sys
import time
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.text.clean import normalise
from tests.table import table

ANY_TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=[]), max_size=60)
TROUBLE = st.text(
    alphabet="a \t\n\r\x00\x07\x08\x0b\x1b[]P\\0;m\x7f\x85\x90\x9b\x9c\xa0\xad\u0301\u0327\u0344"
    "\u200b\u200d\u202e\u2028\u2066\ud83d\ude00\ufe0f\ufeff\U000e0041\U000e0100👩💻é",
    max_size=60,
)
# Format characters that a reader can see: number signs and the like that enclose or precede what follows.
VISIBLE_FORMAT = {
    0x600,
    0x601,
    0x602,
    0x603,
    0x604,
    0x605,
    0x6DD,
    0x70F,
    0x890,
    0x891,
    0x8E2,
    0x110BD,
    0x110CD,
}


@given(ANY_TEXT | TROUBLE)
def test_it_never_raises_and_doing_it_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(ANY_TEXT | TROUBLE)
def test_the_result_can_be_stored_anywhere(text: str) -> None:
    clean = normalise(text)
    assert clean.encode("utf-8").decode("utf-8") == clean
    assert unicodedata.is_normalized("NFC", clean)
    assert not any(unicodedata.category(character) == "Cc" and character not in "\t\n" for character in clean)


def test_every_invisible_format_and_control_character_is_removed() -> None:
    left = {
        point
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in ("Cf", "Cc") and normalise(f"ab{chr(point)}") != "ab"
    }
    line_breaks_and_tab = {0x9, 0xA, 0xB, 0xC, 0xD, 0x85}
    assert left - line_breaks_and_tab == VISIBLE_FORMAT


@table(
    ("text", "clean"),
    [
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("a\r\nb\rc\x0bd\x0ce\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("e\u0301", "é"),
        ("x² ﬁ Ａ", "x² ﬁ Ａ"),
        ("a\xa0b\u3000c\u2009d", "a b c d"),
        ("\x1b[1;31mred\x1b[0m \x9b4mline", "red line"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]0;no end\nnext", "0;no end\nnext"),
        ("\x1bPdata\x1b\\a\x90b\x9cc\x1b(Bd\x1bMe", "acde"),
        ("\x1b\x1b[31m[31m", "[31m"),
        ("a\x00b\x08c\x7f", "abc"),
        ("admin\u202enimda\u2066x\u2069\u200f", "adminnimdax"),
        ("pass\u200bword\u2060\ufeff\u00ad", "password"),
        ("hi\U000e0049\U000e0067\U000e007f", "hi"),
        ("👩\u200d💻 ❤\ufe0f", "👩💻 ❤"),
        ("\ud83d\ude00 \ud83d \ude00", "😀 \ufffd \ufffd"),
        ("a\ufffe\U0001ffff\ufdd0b", "ab"),
    ],
)
def test_text_comes_out_as_documented(text: str, clean: str) -> None:
    assert normalise(text) == clean


def test_at_most_thirty_combining_marks_stay_in_a_row() -> None:
    assert normalise("q" + "\u0327\u0323" * 40 + "b").count("\u0323") == 15
    assert normalise("q" + "\u0344" * 30).count("\u0301") == 15  # one mark that decomposes into two
    assert normalise("a" + "\u0323" * 30 + "b") == unicodedata.normalize("NFC", "a" + "\u0323" * 30 + "b")


@table(
    "unit",
    [
        "\u0300\u0327",
        "\ud800",
        "\ud83d\ude00",
        "\x1b]",
        "\x1b[0 ",
        "\x9b",
        "a\u0344\u0327",
        "一",
        "а",
        "\r\n",
    ],
)
def test_a_megabyte_of_trouble_takes_bounded_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    normalise(text)
    assert time.process_time() - began < 8


def test_one_long_escape_takes_bounded_time() -> None:
    began = time.process_time()
    assert normalise("\x1b[" + "0" * 1_000_000) == "0" * 1_000_000
    assert time.process_time() - began < 8
