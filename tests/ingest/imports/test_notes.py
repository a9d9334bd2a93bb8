"""Markdown that people and agents wrote: context files, Claude's memory, notes of basic-memory."""

from holdfast.export.formats import BEGIN, END
from holdfast.ingest import notes
from holdfast.ingest.import_entries import format_of
from holdfast.model.requests import Draft
from tests.ingest.imports.readers import a_part, drafts, entries, left

CLAUDE = f"""\
# Shop

The shop runs on Django.

## Commands

- Run `make check` before each commit
  - and `make test` once
- @docs/rules.md
- ---

<!-- a remark for people -->

{BEGIN}
- **decision** our own words (2026-01-01, #abcdef12)
{END}

## Style

Never use wildcard imports.
"""
NOTE = """\
---
title: Auth Design
type: note
tags: [auth, "#security"]
permalink: design/auth-design
---

# Auth Design

Sessions are kept in cookies.

## Observations
- [decision] Use JWT for the API #jwt (agreed in May)
- [gotcha] Clock skew breaks `exp` #time
- [ ] an open task
- [x] a done task

## Relations
- implements [[API Security]]
- depends_on [[User Database]] (since v2)
"""


def test_each_item_and_paragraph_of_a_context_file_is_a_memory_with_its_headings_as_context() -> None:
    part = a_part("CLAUDE.md", CLAUDE)
    assert format_of(part) == "agent-file"
    read = entries(notes.read_agent_file(part, {"CLAUDE.md"}))
    assert [one.draft for one in read] == [
        Draft(content="The shop runs on Django.", context="Shop", source="import:CLAUDE.md"),
        Draft(
            content="Run `make check` before each commit\n  - and `make test` once",
            context="Shop › Commands",
            source="import:CLAUDE.md",
        ),
        Draft(content="Never use wildcard imports.", context="Shop › Style", source="import:CLAUDE.md"),
    ]
    assert [one.where for one in read] == ["CLAUDE.md, line 3", "CLAUDE.md, line 7", "CLAUDE.md, line 20"]


def test_what_we_wrote_into_the_file_ourselves_is_not_read_again() -> None:
    contents = [one.content for one in drafts(notes.read_agent_file(a_part("CLAUDE.md", CLAUDE), set()))]
    assert not [one for one in contents if "our own words" in one]
    assert left(notes.read_agent_file(a_part("CLAUDE.md", CLAUDE), set())) == {
        "a pointer to another file": 1,
        "without text": 1,
    }


def test_claudes_memory_is_its_topic_files_and_what_its_index_says_besides() -> None:
    names = {"MEMORY.md", "prefers_pnpm.md"}
    index = "# Memory\n\n- [Prefers pnpm](prefers_pnpm.md) — package manager\n- The build needs Node 22\n"
    topic = "---\nname: prefers-pnpm\ndescription: Use pnpm, not npm\ntype: feedback\n---\n\nAlways use pnpm.\n"
    assert [one.content for one in drafts(notes.read_agent_file(a_part("MEMORY.md", index), names))] == [
        "The build needs Node 22"
    ]
    assert drafts(notes.read_agent_file(a_part("prefers_pnpm.md", topic), names)) == [
        Draft(
            content="Always use pnpm.",
            kind="preference",
            title="Use pnpm, not npm",
            tags=("prefers-pnpm",),
            source="import:prefers_pnpm.md",
        )
    ]


def test_a_note_gives_its_observations_its_prose_and_its_relations() -> None:
    part = a_part("auth.md", NOTE)
    assert format_of(part) == "basic-memory"
    jwt, skew, prose, tasks, relations = drafts(notes.read_basic_memory(part))
    assert jwt == Draft(
        content="Use JWT for the API",
        kind="decision",
        context="Auth Design (agreed in May)",
        tags=("auth", "security", "jwt", "decision"),
        source="import:auth.md",
    )
    assert (skew.content, skew.kind, skew.tags[-2:]) == ("Clock skew breaks `exp`", None, ("time", "gotcha"))
    assert (prose.content, prose.kind, prose.context) == ("Sessions are kept in cookies.", "fact", "Auth Design")
    assert tasks.content == "- [ ] an open task\n- [x] a done task"
    assert relations.content == "Auth Design: implements API Security; depends on User Database"


def test_a_note_without_front_matter_is_known_by_its_observations() -> None:
    assert format_of(a_part("n.md", "# T\n\n- [tech] uses Rust\n")) == "basic-memory"
    assert format_of(a_part("n.md", "# T\n\n- [a link](x.md)\n- [ ] task\n")) == "agent-file"
