"""What a prompt wants: work, what was agreed, an answer, a look, or a chat."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.brief.prompt import ACT, ASK, INTENTS, READ, RECALL, TALK, intent_of
from tests.table import table


@table(
    "prompt",
    [
        "Install the lodash package",
        "please add a retry to the importer",
        "Could you fix the flaky login test?",
        "the checkout page is blank since this morning",
        "let's split the billing module",
        "why does the build fail again?",
        "deploy to staging",
        "I want you to write a migration for the orders table",
    ],
)
def test_who_wants_something_done_is_told_the_rules(prompt: str) -> None:
    assert intent_of(prompt) == ACT


@table(
    "prompt",
    [
        "what did we decide about retries?",
        "our importer loses rows",
        "is it supposed to be sorted?",
        "Which package manager do we use?",
        "may I commit straight to main?",
        "what is the convention for branch names?",
    ],
)
def test_who_speaks_of_those_who_work_here_asks_what_was_agreed(prompt: str) -> None:
    assert intent_of(prompt) == RECALL


@table(
    "prompt",
    [
        "what is a monad?",
        "How does HTTP/2 multiplexing work?",
        "what's the capital of Peru",
        "hey, quick question: why is the sky blue",
    ],
)
def test_who_asks_about_the_world_only_wants_an_answer(prompt: str) -> None:
    assert intent_of(prompt) == ASK


@table(
    "prompt",
    [
        "Explain this file to me",
        "please summarise the README",
        "Can you show me the tests of the parser",
        "translate this comment into French",
        "compare threads and processes, no code",
        "no code please, just curious about allocators",
    ],
)
def test_who_wants_to_be_shown_something_wants_no_work(prompt: str) -> None:
    assert intent_of(prompt) == READ


@table("prompt", ["hi", "Thanks!", "ok, go on", "good morning", "yes", "perfect, thank you!", " \n"])
def test_a_greeting_or_a_nod_wants_nothing(prompt: str) -> None:
    assert intent_of(prompt) == TALK


def test_what_a_pasted_log_says_is_not_what_its_sender_wants() -> None:
    assert intent_of("Fix the crash below\n" + "INFO " * 200 + "we agreed on a policy") == ACT


@given(st.text(max_size=600))
def test_every_prompt_wants_something_that_is_known(prompt: str) -> None:
    assert intent_of(prompt) in INTENTS
