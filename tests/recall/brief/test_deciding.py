"""How much a turn settles."""

from holdfast.model.session import Turn
from holdfast.recall.brief.deciding import DECIDING, settling, statement
from tests.table import table


def turns(*said: tuple[str, str]) -> list[Turn]:
    """Make a session of who said what."""
    return [
        Turn(id=str(place), session="s", role={"u": "user", "a": "assistant"}[who], text=text, at=place)
        for place, (who, text) in enumerate(said)
    ]


@table(
    "text",
    [
        "Settled: tokens are valid for 30 days and rotate on every use.",
        "Final policy: retry any 5xx, at most 4 attempts, backoff capped at 30 seconds.",
        "Recap: pending goes to paid or cancelled only; refunded is terminal.",
        "Never store tokens in local storage.",
        "Use Postgres for the queue, not Redis.",
        "From now on every migration has a UTC timestamp prefix.",
        "Drop the top 2 samples of each window, always.",
        "Metrics are served on port 9464.",
    ],
)
def test_a_flat_statement_settles(text: str) -> None:
    assert statement(text) >= DECIDING


@table(
    "text",
    [
        "How long should a session live?",
        "I think we could maybe use Redis here, what do you think?",
        "Hey, I was looking at the parser and wondering why it would do that.",
        "That makes sense. I remember the fix from last year, it was a fun one.",
        "Good point. It might be worth adding a test for that some day.",
        "Thanks, I'd probably have missed that!",
        "",
        "```\nx = 1\n```",
    ],
)
def test_talk_settles_nothing(text: str) -> None:
    assert statement(text) < DECIDING


def test_what_is_turned_down_settles_nothing() -> None:
    plain = "I'll drop any hashtag that is all digits, always."
    kept, refused = (
        settling(turns(("a", plain))),
        settling(turns(("a", plain), ("u", "Careful, years must stay."))),
    )
    assert not kept[0].refused
    assert refused[0].refused
    assert refused[0].settles < kept[0].settles


def test_what_is_accepted_in_a_few_words_is_settled_and_the_acceptance_itself_says_nothing() -> None:
    long = "I went through the options we have and, looking at the numbers you gave me, " * 3
    first, second = settling(turns(("a", f"{long} the budget would be 7."), ("u", "Right, leave it at 7.")))
    assert first.settles >= DECIDING
    assert second.settles < DECIDING


def test_who_goes_on_talking_accepts_nothing() -> None:
    said = turns(
        ("a", "I guess it could be 7."), ("u", "Right, and then I was thinking about the other module too, " * 2)
    )
    assert settling(said)[0].settles < DECIDING


def test_who_thinks_better_of_it_takes_back_what_they_said() -> None:
    said = turns(
        ("u", "Put avatars into the database."),
        ("a", "That adds 8 GB to every backup."),
        ("u", "Oh. Object storage then, only the key in the table."),
    )
    first = settling(said)[0]
    assert first.refused
    assert first.settles < DECIDING


def test_typographic_apostrophes_are_apostrophes() -> None:
    assert statement("Don’t touch the rest.") == statement("Don't touch the rest.")
