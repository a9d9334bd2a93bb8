"""strip → normalise → redact, for every shape that texts come in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.text.clean import Cleaner, echo
from holdfast.errors import NotRedacted
from tests.secrets import AWS, CARD, GITHUB, MAIL, PRIVATE, WORD
from tests.table import table

CLEAN = Cleaner()
ANY_TEXT = st.text(st.characters(), max_size=80)  # lone surrogates included


def broken(text: str, allow: tuple[str, ...]) -> tuple[str, tuple[tuple[str, int], ...]]:
    """A redactor that fails, and says too much."""
    raise RuntimeError(text)


def test_a_text_goes_through_all_three_steps() -> None:
    given_as = f" \x1b[31mkey\x1b[0m {GITHUB}\r\n<private>{PRIVATE}</private>\u202eend "
    assert CLEAN.text(given_as) == "key [REDACTED:github-token]\nend"


@table("hidden", ["\u200b", "\u00ad", "\x00", "\U000e0041", "\x1b[0m", "\u2060"])
def test_an_invisible_character_hides_neither_a_secret_nor_a_tag(hidden: str) -> None:
    """What the eye cannot see is taken out before anything is looked for."""
    assert CLEAN.text(f"{GITHUB[:9]}{hidden}{GITHUB[9:]}") == "[REDACTED:github-token]"
    assert CLEAN.text(f"a <pri{hidden}vate>{PRIVATE}</private> b") == "a  b"


def test_a_label_that_comes_again_is_not_read_again() -> None:
    """Every entry of a file has the same source; a long name may be anything and is read each time."""
    read: list[str] = []

    def spy(text: str, allow: tuple[str, ...]) -> tuple[str, tuple[tuple[str, int], ...]]:
        read.append(text)
        return text.replace(GITHUB, "gone"), ()

    clean = Cleaner(redactor=spy)
    names = ["import:a b.json", f"tag {GITHUB}", "import:a b.json", f"tag {GITHUB}", *["long " * 50] * 2]
    assert [clean.label(name) for name in names] == [
        *["import:a b.json", "tag gone"] * 2,
        *[("long " * 50).strip()] * 2,
    ]
    assert len(read) == 4
    labels = [f"tag {number}" for number in range(1_000)]
    assert [clean.label(name) for name in labels] == labels


@given(text=ANY_TEXT)
def test_cleaning_never_raises_and_twice_is_once(text: str) -> None:
    once = CLEAN.text(text)
    assert CLEAN.text(once) == once
    assert once.encode().decode() == once


def test_labels_stand_on_one_line_each_once_in_order() -> None:
    """Empty and private ones go."""
    names = (" b ", "a", "b", "\x00", "two\nlines\there", "a", f"<private>{PRIVATE}", GITHUB, AWS)
    expected = ("b", "a", "two lines here", "[REDACTED:github-token]", "[REDACTED:aws-access-key]")
    assert CLEAN.labels(names) == expected


@given(names=st.lists(ANY_TEXT, max_size=5))
def test_labels_hold_no_control_characters(names: list[str]) -> None:
    """The index would take their escapes for words."""
    for name in CLEAN.labels(names):
        assert name == name.strip() != ""
        assert min(name) >= " "


def test_every_text_of_an_object_is_cleaned() -> None:
    """Names, values, what is nested, and long numbers; names that are numbers become texts, as in JSON."""
    card = int(CARD.replace(" ", ""))
    given_as: dict[object, object] = {
        " k\x00 ": [" v\r\n", {"n": ("\ud800", 1, None, True)}],
        "counts": {1: 2, "at": 1_800_000_000_000},
        GITHUB: MAIL,
        "card": card,
        f"<private>{PRIVATE}</private>": "gone with its name",
    }
    kept = CLEAN.json(given_as)
    assert kept == {
        "k": ["v", {"n": ["\ufffd", 1, None, True]}],
        "counts": {"1": 2, "at": 1_800_000_000_000},
        "[REDACTED:github-token]": "[REDACTED:email]",
        "card": "[REDACTED:payment-card]",
    }
    assert json.loads(json.dumps(kept)) == kept


@table("name", ["password", "db_password", "PASSWORD", "secret"])
def test_a_value_that_only_its_name_gives_away_is_redacted(name: str) -> None:
    """In an object as in a text, however deep."""
    assert WORD not in str(CLEAN.json({"deep": [{name: WORD}], name: [WORD]}))
    assert CLEAN.json({"colour": WORD}) == {"colour": WORD}


def test_refs_that_differ_in_a_secret_only_stay_apart() -> None:
    """And a plain one stays as it is."""
    one, other = CLEAN.ref(f"run-{GITHUB}"), CLEAN.ref(f"run-{GITHUB[:-1]}Z")
    assert one != other
    assert one == CLEAN.ref(f"run-{GITHUB}")
    assert one.startswith("run-[REDACTED:github-token]#")
    assert CLEAN.ref(" m-1 ") == "m-1"


def test_when_the_redactor_fails_the_text_is_refused_and_the_error_says_nothing_of_it() -> None:
    with pytest.raises(NotRedacted) as caught:
        Cleaner(redactor=broken).text(f"a text with {WORD} in it")
    assert "(RuntimeError), so nothing was stored" in str(caught.value)
    assert WORD not in repr(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_allowed_text_and_patterns_are_kept() -> None:
    allowing = Cleaner(allow=(GITHUB, r"/\w+(\.\w+)?@corp-mail\.io/"))
    assert allowing.text(f"{GITHUB} {AWS} {MAIL}") == f"{GITHUB} [REDACTED:aws-access-key] {MAIL}"


@table(
    ("value", "shown"),
    [
        (None, None),
        (5, 5),
        (True, True),
        (" ", " "),
        ("plain", "plain"),
        (GITHUB, "[REDACTED:github-token]"),
        (["x", GITHUB], "['x', '[REDACTED:github-token]']"),
        ("x" * 99, "x" * 59 + "…"),
    ],
)
def test_an_error_shows_a_value_short_and_without_secrets(value: object, shown: object) -> None:
    assert echo(value) == shown


def test_a_huge_value_in_an_error_costs_nothing() -> None:
    assert len(str(echo("password=" * 10_000_000))) <= 60
