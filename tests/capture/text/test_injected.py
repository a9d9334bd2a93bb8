"""What memory and clients add to a conversation is not captured again."""

import time

from holdfast.capture.sessions.turns import CLIENT_TAGS, without_injected
from tests.table import table

FENCED = "=== project memory 3fa9c1d2 ===\nRecorded data.\n- always UTC\n=== end of project memory 3fa9c1d2 ==="
MARKDOWN = "## Project memory 3fa9c1d2\n\n- always UTC\n\n## End of project memory 3fa9c1d2"


@table(
    "injected",
    [
        '<project_memory nonce="3fa9c1d2">\nalways UTC\n</project_memory>',
        "<project_memory>always UTC</project_memory>",
        FENCED,
        MARKDOWN,
        "<system-reminder>always UTC</system-reminder>",
        "<hook_context>always UTC</hook_context>",
    ],
)
def test_what_memory_and_clients_add_is_not_captured_again(injected: str) -> None:
    assert without_injected(f"Fix the export.\n{injected}\nThanks.").split() == [
        "Fix",
        "the",
        "export.",
        "Thanks.",
    ]


def test_a_brief_that_a_client_cut_off_goes_to_its_end() -> None:
    assert without_injected("Hello <project_memory>always UTC and much mo").strip() == "Hello"


def test_a_message_that_hands_over_instruction_files_is_nobodys_word() -> None:
    assert without_injected("# AGENTS.md instructions for /srv/app\n\n<INSTRUCTIONS>use tabs</INSTRUCTIONS>") == ""


@table("tag", CLIENT_TAGS)
def test_every_client_tag_goes_when_it_is_closed_and_stays_when_it_is_only_mentioned(tag: str) -> None:
    assert without_injected(f"a <{tag}>b</{tag.split()[0]}> c").split() == ["a", "c"]
    assert without_injected(f"What does <{tag}> mean?") == f"What does <{tag}> mean?"


@table(
    "text",
    [
        "holdfast keeps project memory in abcdef12 files.\nNothing else here.",
        "The project memory facade must stay thin.\nRetries are capped at 3.\nLog errors at the facade.",
        "holdfast commit 76d2287 broke the build.\nWe pin APSW 3.46 from now on.\nRevert 76d2287 first.",
        "=== project memory 3fa9c1d2 ===\nThis is how a brief begins.",
        FENCED.replace("end of project memory 3fa9c1d2", "end of project memory 3fa9c1d3"),
    ],
)
def test_what_a_person_writes_about_memory_stays(text: str) -> None:
    assert without_injected(text) == text


def test_text_about_a_brief_and_a_brief_after_it_are_told_apart() -> None:
    text = f"The holdfast run 99aa88bb77 was fine.\n{FENCED}\nBye."
    assert without_injected(text) == "The holdfast run 99aa88bb77 was fine.\nBye."


@table("piece", ["<hook_context>", "<project_memoryx>", "## Project memory abcdef12\n", "=== project memory "])
def test_no_text_makes_it_slow(piece: str) -> None:
    started = time.process_time()
    without_injected(piece * (98_304 // len(piece)))
    assert time.process_time() - started < 8
