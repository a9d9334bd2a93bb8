"""What a turn does: confirm, correct, understand, command."""

from holdfast.capture.sessions.findings.acts import Act, conversation
from tests.capture.sessions.findings.chats import AGENT, USER, called, said
from tests.table import table


@table(
    "text",
    [
        "Yes.",
        "Exactly.",
        "That's the one. Ship it.",
        "Right, leave it at 7.",
        "👍",
        "+1",
        "Sounds good, lock it in.",
    ],
)
def test_a_person_confirms_in_so_many_words(text: str) -> None:
    assert Act(said((USER, text))[0]).confirms


@table(
    "text",
    [
        "Makes sense, thanks.",
        "Yes, but only for admins.",
        "Right. What about the other one?",
        "Cool, good to know!",
        "Exactly, and maybe we could also look at the parser some day.",
        "Great, and in the meantime I will look at the parser, the lexer and the printer, because they need it.",
    ],
)
def test_understanding_politeness_and_conditions_confirm_nothing(text: str) -> None:
    assert not Act(said((USER, text))[0]).confirms


def test_an_agent_cannot_confirm_nor_can_a_tool() -> None:
    assert not Act(said((AGENT, "Yes, ship it."))[0]).confirms
    assert not Act(called("Bash", text="Yes, ship it.")).confirms


@table("text", ["No, that's wrong: use UTC.", "Too strict.", "Careful - keep the years.", "Not quite."])
def test_a_person_who_says_so_corrects_the_agent(text: str) -> None:
    assert Act(said((USER, text))[0]).rejects


@table("text", ["No problem!", "Nothing else.", "Now the tests."])
def test_not_every_n_word_is_a_correction(text: str) -> None:
    assert not Act(said((USER, text))[0]).rejects


def test_tools_and_all_but_the_last_two_messages_in_a_row_are_left_out_of_the_conversation() -> None:
    first, *rest = said((USER, "Go."), (AGENT, "One."), (AGENT, "Two."), (AGENT, "Three."))
    acts = [Act(turn) for turn in (first, called("Bash"), *rest)]
    assert [one.turn.text for one in conversation(acts)] == ["Go.", "Two.", "Three."]


def test_a_command_to_the_client_is_no_speech() -> None:
    assert Act(said((USER, "/remember we always use UTC"))[0]).readings == ()
    assert Act(said((USER, "/compact"))[0]).readings == ()


@table("text", ["/usr/bin is always read-only.", "/orders must never return null.", "/remember\nthis: use UTC."])
def test_a_path_or_a_longer_text_is_no_command(text: str) -> None:
    assert Act(said((USER, text))[0]).readings != ()


@table("role", ["user", "User", "human", "HUMAN"])
def test_a_person_is_known_by_role_in_any_spelling(role: str) -> None:
    assert Act(said((role, "Yes."))[0]).by_user


@table("role", ["assistant", "Assistant", "bot", "ai", "Model"])
def test_an_agent_is_known_by_role_in_any_spelling(role: str) -> None:
    assert Act(said((role, "Understood."))[0]).by_agent
