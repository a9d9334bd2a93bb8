"""What a prompt is about."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.brief.prompt import MOST_FILES, MOST_TERMS, analyse, files_named
from tests.table import table


def words(prompt: str) -> list[str]:
    """Return the telling words of a prompt."""
    return [term.word for term in analyse(prompt).terms]


def test_the_words_of_an_order_are_not_what_it_is_about() -> None:
    assert words("Please fix the failing acquirer timeout without breaking existing behaviour") == [
        "acquirer", "timeout",
    ]  # fmt: skip


def test_an_order_that_names_nothing_keeps_its_words() -> None:
    assert words("please fix it") == ["please", "fix"]


def test_of_many_words_those_that_tell_most_are_kept_in_their_order() -> None:
    kept = words(" ".join(["list", "string", "python", "file"] * 3 + [f"walrus{n}x" for n in range(40)]))
    assert len(kept) == MOST_TERMS
    assert "list" not in kept
    assert kept == sorted(kept, key=kept.index)


@table(
    ("prompt", "files"),
    [
        ("look at src/app/main.py:12 and ./lib/x.ts", ("src/app/main.py", "lib/x.ts")),
        ("`README.md`, (docs/guide.md).", ("README.md", "docs/guide.md")),
        ("C:\\code\\app.cs fails", ("C:/code/app.cs",)),
        ("see https://example.com/a/b.py and a@b.io", ()),
        ("e.g. this, i.e. that, 3.14, v2.0 and/or boltons.strutils", ()),
        ("the folder src/holdfast/recall is new", ("src/holdfast/recall",)),
        ("conf.yml conf.yml CONF.YML", ("conf.yml", "CONF.YML")),
    ],
)
def test_the_files_a_prompt_names_are_found(prompt: str, files: tuple[str, ...]) -> None:
    assert files_named(prompt) == files


def test_no_more_files_than_a_person_names() -> None:
    assert len(files_named(" ".join(f"src/f{n}.py" for n in range(99)))) == MOST_FILES


def test_of_a_pasted_log_the_beginning_and_the_end_count() -> None:
    prompt = "walrus at the start " + "x" * 40_000 + " ocelot at the end"
    assert {"walrus", "ocelot"} <= set(words(prompt))


@given(st.text(max_size=400))
def test_any_prompt_can_be_read(prompt: str) -> None:
    asked = analyse(prompt)
    assert len(asked.terms) <= MOST_TERMS
    assert len(set(asked.files)) == len(asked.files)
