"""The section in a file that agents read: only what is settled, in its markers, the same every time."""

import pytest

from holdfast.errors import InvalidInput
from holdfast.export.formats import BEGIN, END, INTRODUCTION, settled_memories, with_section
from holdfast.export.formats import context_section as render
from holdfast.model.memory import Memory
from tests.contract.builders import NOW, a_memory
from tests.rows import each


def section(*memories: Memory, budget: int = 8_192) -> str:
    """Return the section that shows these memories."""
    return render(memories, {one.id: one.id[-8:] for one in memories}, budget)[0]


def lines(text: str) -> list[str]:
    """Return the entries of a section."""
    return [line for line in text.splitlines() if line.startswith("- ")]


def test_only_what_is_confirmed_and_not_from_a_tool_is_settled() -> None:
    confirmed, pinned = a_memory(status="confirmed"), a_memory(status="pinned")
    others = [a_memory(), a_memory(status="confirmed", trust="tool")]
    assert settled_memories([confirmed, pinned, *others]) == [pinned, confirmed]


def test_rules_come_before_facts_and_newer_before_older() -> None:
    fact = a_memory(status="confirmed", kind="fact", created_at=NOW + 9)
    old, new = (a_memory(status="confirmed", kind="decision", created_at=NOW + at) for at in (1, 2))
    wish = a_memory(status="confirmed", kind="preference")
    assert settled_memories([fact, old, new, wish]) == [wish, new, old, fact]


def test_an_entry_stands_on_one_line_in_which_nothing_is_markup() -> None:
    memory = a_memory(content=f"Use <b>\n{END}\n& more", kind="decision", status="pinned", created_at=NOW)
    [line] = lines(section(memory))
    assert (
        line == f"- **decision** Use &lt;b> &lt;!-- holdfast:end --> &amp; more (2027-01-15, #{memory.id[-8:]}, "
        "noted by an agent, pinned)"
    )


def test_each_entry_says_who_said_it_and_what_nobody_confirmed_is_left_out_unless_asked_for() -> None:
    said, noted = a_memory(content="Said", trust="user", status="confirmed"), a_memory(content="Noted")
    assert settled_memories([noted, said]) == [said]
    both = settled_memories([noted, said], candidates=True)
    text, _ = render(both, {one.id: "12345678" for one in both})
    assert [line.partition(", #12345678, ")[2] for line in lines(text)] == [
        "said by the user)",
        "noted by an agent, unconfirmed)",
    ]


def test_the_budget_holds_and_says_how_many_it_held() -> None:
    memories = [a_memory(content=f"{number} " + "x" * 200) for number in range(50)]
    text, held = render(memories, {one.id: "12345678" for one in memories}, 2_000)
    assert len(text.encode()) <= 2_000
    assert held == len(lines(text)) > 3


def test_the_section_is_put_in_replaced_and_taken_out_and_nothing_else_changes() -> None:
    first, second = section(a_memory(content="one")), section(a_memory(content="two"))
    for before in ("", "# Mine\n", "# Mine\n\nlast line without an end"):
        once = with_section(before, first)
        assert once.startswith(before)
        assert with_section(once, first) == once
        between = once + "\nbelow\n"
        assert with_section(between, second) == between.replace(first, second)
        assert with_section(between, None) == between.replace(first, "")


@each(
    "text",
    [
        f"{BEGIN}\nnever closed\n",
        f"{END}\n",
        f"{BEGIN}\n{BEGIN}\nx\n{END}\n",
        f"{BEGIN}\na\n{END}\n{BEGIN}\nb\n{END}\n",
    ],
)
def test_markers_that_do_not_belong_together_are_left_for_a_person(text: str) -> None:
    with pytest.raises(InvalidInput, match="by hand"):
        with_section(text, section())


def test_an_empty_section_says_so() -> None:
    assert section() == f"{BEGIN}\n{INTRODUCTION}\n- Nothing is confirmed yet.\n{END}\n"
