"""What cannot be kept is refused, with the name of the field."""

import math

import pytest

from holdfast.capture import check
from holdfast.errors import InvalidInput, UnknownKind
from holdfast.model import limits
from holdfast.model.requests import Changes, Draft
from tests.table import table


def refusal(**fields: object) -> str:
    """Return the message that a draft with these fields is refused with."""
    values: dict[str, object] = {"content": "text"} | fields
    with pytest.raises(InvalidInput) as caught:
        check.check_draft(Draft(**values))  # type: ignore[arg-type]  # callers' mistakes
    assert str(caught.value).startswith(f"{caught.value.field}: ")
    return str(caught.value)


@table(
    ("fields", "message"),
    [
        ({"content": ""}, "content: is empty. Say what there is to remember."),
        ({"content": " \n\t "}, "content: is empty. Say what there is to remember."),
        ({"content": None}, "content: must be text, not NoneType."),
        ({"content": b"x"}, "content: must be text, not bytes."),
        (
            {"content": "é" * 32_769},
            "content: has 65,538 bytes, at most 65,536 fit. Shorten it or split it in two.",
        ),
        ({"title": " "}, "title: is empty. Say what there is to remember."),
        ({"title": 5}, "title: must be text, not int."),
        ({"context": 5}, "context: must be text, not int."),
        (
            {"context": "x" * 16_385},
            "context: has 16,385 bytes, at most 16,384 fit. Shorten it or split it in two.",
        ),
        ({"importance": 1.01}, "importance: 1.01 is out of range. Give a number from 0 to 1."),
        ({"importance": -0.1}, "importance: -0.1 is out of range. Give a number from 0 to 1."),
        ({"importance": math.nan}, "importance: nan is out of range. Give a number from 0 to 1."),
        ({"importance": "high"}, "importance: must be a number from 0 to 1, not 'high'."),
        ({"importance": True}, "importance: must be a number from 0 to 1, not True."),
        ({"confidence": 2}, "confidence: 2 is out of range. Give a number from 0 to 1."),
        ({"confidence": None}, "confidence: must be a number from 0 to 1, not None."),
        ({"source": ""}, "source: '' is not a name. Give a short text."),
        ({"source": None}, "source: None is not a name. Give a short text."),
        ({"source": "x" * 201}, "source: has 201 characters, at most 200 fit."),
        ({"tags": "a,b"}, "tags: must be a list of texts, such as ['a', 'b']."),
        ({"tags": 5}, "tags: must be a list of texts, such as ['a', 'b']."),
        ({"tags": ("a", " ")}, "tags: ' ' cannot be used. Give texts of 1 to 200 characters."),
        ({"tags": ("a", None)}, "tags: None cannot be used. Give texts of 1 to 200 characters."),
        ({"tags": ("a",) * 51}, "tags: has 51 entries, at most 50 fit."),
        ({"files": ("x" * 1_025,)}, f"files: '{'x' * 59}…' cannot be used. Give texts of 1 to 1024 characters."),
        ({"files": ("x",) * 201}, "files: has 201 entries, at most 200 fit."),
        ({"metadata": [1]}, "metadata: must be an object of names and JSON values."),
        ({"metadata": {"a": "x" * 16_384}}, "metadata: has 16,393 bytes as JSON, at most 16,384 fit."),
    ],
)
def test_a_bad_field_is_named_with_what_is_wrong(fields: dict[str, object], message: str) -> None:
    """And with what to do."""
    assert refusal(**fields) == message


@table("value", [{"a": object()}, {"a": math.inf}, {"a": {1, 2}}, {"a": b"x"}])
def test_metadata_that_is_no_json_is_refused(value: object) -> None:
    """Whatever the encoder says about it."""
    assert refusal(metadata=value).startswith("metadata: is not JSON (")


def test_metadata_that_holds_itself_is_refused() -> None:
    """Rather than followed for ever."""
    circle: dict[str, object] = {}
    circle["self"] = circle
    assert refusal(metadata=circle) == "metadata: is nested deeper than 20 levels."


def test_an_unknown_kind_is_refused_with_the_nearest_and_all() -> None:
    """A typing error is the usual cause."""
    with pytest.raises(UnknownKind) as caught:
        check.check_kind("decison")
    assert caught.value.field == "kind"
    assert "'decison' is not a kind of memory (did you mean 'decision'?). Use one of: decision, " in str(
        caught.value
    )
    assert refusal(kind="zzz").startswith("kind: 'zzz' is not a kind of memory. Use one of: ")
    assert refusal(kind=5).startswith("kind: 5 is not a kind of memory. Use one of: ")


def test_values_at_the_edge_are_taken() -> None:
    """Every limit is the most that fits."""
    check.check_draft(
        Draft(
            content="é" * (limits.CONTENT_BYTES // 2),
            kind="fact",
            title="t",
            context="x" * limits.CONTEXT_BYTES,
            tags=("x" * limits.NAME_CHARS,) * limits.TAGS,
            files=("x" * limits.PATH_CHARS,) * limits.FILES,
            importance=0,
            confidence=1,
            source="x" * limits.NAME_CHARS,
            metadata={"a": "x" * (limits.METADATA_BYTES - 9)},
        )
    )
    check.check_changes(Changes())


@table(
    ("changes", "field"),
    [
        (Changes(content=" "), "content"),
        (Changes(importance=2), "importance"),
        (Changes(confidence=-1), "confidence"),
        (Changes(kind="zzz"), "kind"),
        (Changes(title=""), "title"),
        (Changes(tags=("",)), "tags"),
    ],
)
def test_changes_are_checked_like_drafts(changes: Changes, field: str) -> None:
    """Only what is to change."""
    with pytest.raises(InvalidInput) as caught:
        check.check_changes(changes)
    assert caught.value.field == field


@table("value", [0, 101, True, "5", 5.0, None])
def test_a_count_is_a_whole_number_in_range(value: object) -> None:
    """A limit, a window."""
    with pytest.raises(InvalidInput, match=r"^limit: .* is no whole number from 1 to 100\.$"):
        check.check_count("limit", value, 1, 100)
    check.check_count("limit", 1, 1, 100)
    check.check_count("limit", 100, 1, 100)


def test_a_choice_is_one_of_those_named() -> None:
    """A closed set says what it holds."""
    with pytest.raises(InvalidInput, match=r"^mode: 'magic' is none of: keyword, vector\.$"):
        check.check_choice("mode", "magic", ("keyword", "vector"))
