"""What in a message nobody said is known by its shape."""

from holdfast.text.sentences import sentences
from tests.table import table


def texts(message: str) -> list[str]:
    return [one.text for one in sentences(message)]


@table(
    "pasted",
    [
        "[21:27:36.028] Running build in Washington\n[21:27:36.029] Build machine configuration: 4 cores",
        "npm ERR! code EUSAGE\nnpm ERR!\nnpm ERR! never run this without a lockfile",
        'Traceback (most recent call last):\n  File "app.py", line 3, in main\nValueError: must be positive',
        "    at fetchDocuments (http://localhost:3002/chunks/app.js:145:154)\n    at run (app.js:1:2)",
        "➜  api git:(main) ✗ npm run lint\n\n> lint\n> turbo run\n\nAlways pass a file.\n\n✗ failed\n➜  api",
        'level=ERROR msg="must never happen" code=7\nlevel=INFO msg="always" code=8',
    ],
)
def test_logs_traces_and_terminals_are_nobodys_word(pasted: str) -> None:
    assert texts(f"Here is what I see, fix it.\n{pasted}") == ["Here is what I see, fix it."]


@table(
    "message",
    [
        "This session is being continued from a previous conversation that ran out of context. Never ask again.",
        "Implement the following plan:\n\n# Plan\n\nAlways use the factory.",
        "Base directory for this skill: /skills/lore\n\nNever read raw transcripts.",
        "[Request interrupted by user for tool use]",
    ],
)
def test_what_a_client_wrote_is_nobodys_word(message: str) -> None:
    assert texts(message) == []


def test_a_document_that_is_handed_over_is_nobodys_word_but_what_stands_before_it_is() -> None:
    document = "# Spec\n\nWe must always X.\n\n## Goals\n\nNever Y.\n\n## Stack\n\nOnly Z."
    assert texts(f"Read this and tell me what you think.\n\n{document}") == [
        "Read this and tell me what you think."
    ]


def test_talk_around_a_paste_is_talk() -> None:
    lines = "\n".join(f"2026-02-20 18:03:{second} INFO row {second}" for second in range(10, 20))
    assert texts(f"NO! Still duplicates!\n\n{lines}\n\nThe point was to never see a row twice.") == [
        "NO!",
        "Still duplicates!",
        "The point was to never see a row twice.",
    ]


def test_a_short_list_under_a_heading_is_talk() -> None:
    found = sentences("## Never do this\n- push to main\n- skip the hooks")
    assert [(one.text, one.head) for one in found] == [
        ("push to main", "Never do this"),
        ("skip the hooks", "Never do this"),
    ]
