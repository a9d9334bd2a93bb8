"""Terms that match nothing."""

import re
from importlib.resources import files

from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.nearest import slips
from holdfast.model.search import Term
from holdfast.recall.stand_ins import LIMIT, allowed_slips, longer, misspelt
from holdfast.stores.analyser import tokens
from tests.table import table

LIST = (files("holdfast.embedding") / "hashing_idf.txt").read_text("utf-8")
ENGLISH = re.findall(r"^[a-z]{5,}(?= )", LIST, re.MULTILINE)


def forms(*words: str) -> dict[str, int]:
    """Return an index that holds these words, the first ones more often."""
    return {tokens(word)[0]: len(words) - place for place, word in enumerate(words)}


def meant(word: str, *index: str) -> list[str]:
    """Return the index forms that a word is taken for."""
    return [term.stem for term in misspelt(word, forms(*index))]


def test_longer_forms_come_by_frequency_and_only_so_many() -> None:
    assert longer({"postgresql": 4, "postgr": 9}) == [Term("postgr", "postgr"), Term("postgresql", "postgresql")]
    assert len(longer({f"postg{letter}": 1 for letter in "abcdefgh"})) == LIMIT


def test_a_stand_in_is_a_word_of_its_form() -> None:
    """The index would stem the bare form again."""
    assert longer(forms("database")) == [Term("database", "databas")]
    assert misspelt("databse", forms("database")) == [Term("database", "databas")]


def test_a_misspelling_finds_the_nearest_word() -> None:
    assert meant("databsae", "databank", "database") == ["databas"]
    assert meant("cahce", "caches") == ["cach"]
    assert meant("kubernetties", "kubernetes") == ["kubernet"]


def test_a_slip_in_the_ending_is_put_right_before_the_ending_is_taken_off() -> None:
    assert meant("migratoin", "migration") == ["migrat"]
    assert meant("parsng", "parsing") == ["pars"]


def test_the_first_letter_must_be_right_and_of_two_slips_the_second_too() -> None:
    assert meant("vatabase", "database") == []
    assert meant("dtabase", "database") == ["databas"]
    assert meant("dtabasse", "database") == []


def test_short_words_and_numbers_are_not_misspelt() -> None:
    assert misspelt("dab", {"dbb": 1}) == []
    assert misspelt("12345", {"12346": 1}) == []


def test_other_alphabets_are_misspelt_too() -> None:
    assert meant("база", "база") == ["база"]
    assert meant("милрация", "миграция") == meant("миграиця", "миграция") == ["миграция"]


@table("place", [1, 2, -3, -2])
def test_a_word_is_found_without_one_of_its_inner_letters(place: int) -> None:
    """Whatever its stem is and whatever becomes of the stem when it is stemmed again."""
    missed = []
    for word in ENGLISH:
        [form] = tokens(word)
        spoilt = word[:place] + word[place:][1:]
        if tokens(spoilt) != [form]:
            stood_in = misspelt(spoilt, {form: 1})
            missed += [word] if [tokens(term.word) for term in stood_in] != [[form]] else []
    assert missed == []
    assert len(ENGLISH) > 1_000


@table(
    ("one", "other", "count"),
    [("abcd", "abcd", 0), ("abcd", "abdc", 1), ("abcd", "abc", 1), ("abcd", "axcd", 1), ("abcd", "dcba", 3)],
)
def test_slips_are_counted_up_to_the_limit(one: str, other: str, count: int) -> None:
    assert slips(one, other, 2) == count


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_slips_are_symmetric(one: str, other: str) -> None:
    assert slips(one, other, 20) == slips(other, one, 20)


def test_longer_words_may_hold_two_slips() -> None:
    assert [allowed_slips(word) for word in ("abc", "abcd", "abcdefgh", "ab1d")] == [0, 1, 2, 0]
