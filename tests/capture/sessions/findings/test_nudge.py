"""Which prompts sound as if they should be noted."""

from holdfast.capture.sessions.findings.statements import sounds_lasting
from tests.table import table


@table(
    "prompt",
    [
        "from now on always run the linter before you commit",
        "no, don't mock our own classes, only outside systems are faked",
        "i want to run the deploy commands myself, never run them for me",
        "why did you commit to the main branch and not to a session branch?",
    ],
)
def test_lasting_statements_and_corrections_sound_lasting(prompt: str) -> None:
    assert sounds_lasting(prompt)


@table("prompt", ["", "yes", "thanks!", "fix the tests", "what does this function do?", "continue", "[Image #1]"])
def test_orders_questions_and_courtesy_do_not(prompt: str) -> None:
    assert not sounds_lasting(prompt)


def test_what_the_agent_said_before_counts() -> None:
    prompt = "vouchers stay before shipping costs"
    assert not sounds_lasting(prompt)
    assert sounds_lasting(prompt, "Vouchers are taken off after the shipping costs now.")
