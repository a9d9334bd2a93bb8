"""Findings of a session: read from its turns in the light of the talk, once, and taken back."""

from collections.abc import Mapping, Sequence

from holdfast.capture.sessions.learn import CONTEXT_TURNS, Extraction, learn
from holdfast.judge import Sentence, Verdict
from holdfast.judge.turns import OPENING
from holdfast.model.finding import ACCEPTED, ASKED, AT_ONCE, HYPOTHESIS, LIKELY, MUST, RETRACTED, WORKING, Finding
from holdfast.model.session import Turn
from tests.capture.sessions.chats import AGENT, TOOL, USER, said
from tests.judges import ScriptedJudge, lasting
from tests.table import table


def read(
    turns: list[Turn],
    verdicts: Mapping[str, Verdict] | None = None,
    relations: Mapping[tuple[str, str], str] | None = None,
) -> Extraction:
    return learn(turns, (), (), ScriptedJudge(verdicts, relations))


class RecordingJudge(ScriptedJudge):
    """Remembers the sentences that it is asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Sentence] = []

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Return that none of them lasts."""
        self.asked += sentences
        return super().lasts(sentences)


def contents(extraction: Extraction) -> list[str]:
    return [finding.content for finding in extraction.new]


def test_a_sentence_that_lasts_is_a_finding_with_its_place_and_how_sure_the_judge_is() -> None:
    text = "Add a retry to the uploader. Retries stop after five attempts, always."
    (finding,) = read(said((USER, text)), {"Retries stop": lasting(0.9, must=0.7, working=0.6)}).new
    assert finding.content == "Retries stop after five attempts, always."
    place = finding.evidence[0]
    assert text[place.start : place.end] == finding.content
    assert (finding.confidence, finding.importance) == (0.9, 0.8)
    assert set(finding.signals) == {LIKELY, WORKING, MUST}


def test_two_rules_in_one_prompt_are_two_findings() -> None:
    turns = said((USER, "Prices are integer cents. Dates are stored in UTC."))
    assert contents(read(turns, {"cents": lasting(), "UTC": lasting()})) == [
        "Prices are integer cents.",
        "Dates are stored in UTC.",
    ]


def test_sentences_that_say_one_thing_are_one_finding() -> None:
    """The second says nothing without the first, whichever of them the judge is sure of."""
    turns = said((USER, "The bank closes the file at noon. Otherwise payments bounce. Thanks!"))
    one = ["The bank closes the file at noon. Otherwise payments bounce."]
    assert contents(read(turns, {"noon": lasting(), "bounce": lasting(0.3)})) == one
    assert contents(read(turns, {"bounce": lasting()})) == one


def test_words_that_ask_for_memory_count_at_once_whatever_the_judge_says() -> None:
    (finding,) = read(said((USER, "ok, please remember that the staging db is rebuilt nightly"))).new
    assert finding.content == "the staging db is rebuilt nightly"
    assert {ASKED, AT_ONCE} <= set(finding.signals)


def test_remember_this_means_the_sentence_behind_it() -> None:
    (finding,) = read(said((USER, "Remember this: Invoices are never deleted."))).new
    assert finding.content.endswith("Invoices are never deleted.")
    assert ASKED in finding.signals


def test_a_doubtful_sentence_is_only_noted_and_a_hopeless_one_is_nothing() -> None:
    turns = said((USER, "The queue should drain first. Run the tests."))
    (finding,) = read(turns, {"queue": lasting(0.3)}).new
    assert finding.signals == (HYPOTHESIS,)
    assert not finding.settled


def test_a_fragment_that_names_nothing_is_dropped() -> None:
    assert contents(read(said((USER, "make it three")), {"three": lasting()})) == []


def test_a_fragment_that_names_one_thing_is_noted_for_the_rule_that_it_may_lift() -> None:
    (finding,) = read(said((USER, "You can use pip again.")), {"pip": lasting()}).new
    assert finding.signals == (HYPOTHESIS,)


def test_a_fragment_takes_in_the_statement_that_it_replaces() -> None:
    turns = said((USER, "The coverage gate is at 85."), (AGENT, "Done."), (USER, "no wait, 120"))
    verdicts = {"gate": lasting(), "120": lasting()}
    extraction = read(turns, verdicts, {("gate", "120"): "replaces"})
    first, second = extraction.new
    assert RETRACTED in first.signals
    assert second.content == "no wait, 120 (before: The coverage gate is at 85.)"


def test_the_last_word_of_a_session_retracts_what_it_replaces() -> None:
    turns = said((USER, "We use Redis for jobs."), (USER, "Let's not use Redis after all, Postgres is enough."))
    verdicts = {"Redis": lasting()}
    first, second = read(turns, verdicts, {("We use Redis", "not use Redis"): "replaces"}).new
    assert (RETRACTED in first.signals, RETRACTED in second.signals) == (True, False)


def test_what_a_session_says_twice_is_one_finding_with_two_places() -> None:
    turns = said((USER, "Prices are integer cents."), (USER, "Again: every price is an integer number of cents."))
    extraction = read(turns, {"cents": lasting()}, {("Prices", "every price"): "same"})
    (finding,) = extraction.new
    assert [place.turn for place in finding.evidence] == ["turn-0", "turn-1"]


def test_scrap_that_takes_back_the_last_statement_or_the_one_that_it_names() -> None:
    both = {"Redis": lasting(), "port": lasting()}
    talk = (USER, "Cache sessions in Redis."), (USER, "The admin port is 9000.")
    last = read(said(*talk, (USER, "Never mind, scrap that.")), both)
    named = read(said(*talk, (USER, "Scrap that with Redis and the cached sessions.")), both)
    assert [RETRACTED in finding.signals for finding in last.new] == [False, True]
    assert RETRACTED in named.new[0].signals


def test_an_answer_takes_over_the_option_that_it_names() -> None:
    reply = "How shall prices be stored?\n1. As decimals\n2. As integer cents\nWhich one?"
    extraction = read(said((AGENT, reply), (USER, "2, always")), {"2": lasting(context=0.9)})
    (finding,) = extraction.new
    assert finding.content == "As integer cents (answered: 2, always)"
    assert finding.signals == (ACCEPTED,)
    assert [place.turn for place in finding.evidence] == ["turn-0", "turn-1"]


def test_an_answer_without_an_option_takes_over_the_question() -> None:
    turns = said((AGENT, "I looked around. Should all services use Postgres?"), (USER, "yes, everywhere"))
    assert contents(read(turns, {"everywhere": lasting(context=0.9)})) == [
        "Should all services use Postgres? (answered: yes, everywhere)"
    ]


def test_an_answer_that_takes_nothing_over_is_said_with_the_question_and_no_rule() -> None:
    turns = said(
        (AGENT, "Which queue should the mailer use, Redis or Rabbit?"), (USER, "Rabbit, for everything new")
    )
    (finding,) = read(turns, {"Rabbit": lasting(context=0.9)}).new
    assert finding.content == (
        "Which queue should the mailer use, Redis or Rabbit? (answered: Rabbit, for everything new)"
    )
    assert finding.signals == (LIKELY,)


@table(
    "answer",
    ["i want one way. what would you recommend", "why would there even be a fallback", "clamp instead of 422"],
)
def test_no_words_of_the_agent_are_taken_over_by_an_answer_of_another_kind(answer: str) -> None:
    turns = said((AGENT, "Partners that send 100 items get a 422 problem."), (USER, answer))
    extraction = read(turns, {"": lasting(context=0.9)})
    assert all(ACCEPTED not in finding.signals and "Partners" not in finding.content for finding in extraction.new)


def test_keep_that_in_mind_takes_over_what_the_agent_said_last() -> None:
    turns = said(
        (AGENT, "The webhook route has to be mounted before the body logger."), (USER, "keep that in mind please")
    )
    (finding,) = read(turns).new
    assert finding.content.startswith("The webhook route has to be mounted before the body logger.")
    assert ACCEPTED in finding.signals


def test_what_a_person_says_first_is_judged_as_after_a_reply() -> None:
    """Openings are mostly orders: the judge misses what lasts in them unless it reads a reply."""
    judge = RecordingJudge()
    learn(said((USER, "Tests must not hit the network.")), (), (), judge)
    assert [sentence.agent for sentence in judge.asked] == [OPENING]


def test_agents_and_tools_settle_nothing() -> None:
    text = "From now on all prices are cents."
    assert contents(read(said((AGENT, text), (TOOL, text)), {"prices": lasting()})) == []


def test_going_on_from_a_checkpoint_gives_the_same_findings() -> None:
    turns = said(
        (USER, "The gate is at 85."),
        (AGENT, "Use A or B?\nA. Redis\nB. Postgres"),
        (USER, "B"),
        (USER, "no wait, 120"),
    )
    judge = ScriptedJudge(
        {"gate": lasting(), "120": lasting(), "B": lasting(context=0.9)}, {("gate", "120"): "replaces"}
    )
    whole = learn(turns, (), (), judge).new
    findings: dict[str, Finding] = {}
    for place, turn in enumerate(turns):
        step = learn([turn], turns[max(0, place - CONTEXT_TURNS) : place], list(findings.values()), judge)
        findings |= {finding.id: finding for finding in (*step.changed, *step.new)}
    assert tuple(findings.values()) == whole


def test_never_mind_takes_back_what_was_said_just_before_and_no_earlier_rule() -> None:
    rule, other = "From now on always use pnpm in this repo.", "Where is the config of the linter?"
    later = said(
        (USER, rule), (AGENT, "Noted."), (USER, other), (AGENT, "Looking."), (USER, "Never mind, I found it.")
    )
    at_once = said((USER, rule), (AGENT, "Noted."), (USER, "Scrap that."))
    assert [RETRACTED in read(turns).new[0].signals for turns in (later, at_once)] == [False, True]


def test_a_second_rule_that_opens_with_never_is_one_of_its_own() -> None:
    turns = said((USER, "Always use pnpm in this repo. Never touch the legacy folder. Not even for tests."))
    assert contents(read(turns, {"pnpm": lasting(), "legacy": lasting(), "even": lasting()})) == [
        "Always use pnpm in this repo.",
        "Never touch the legacy folder. Not even for tests.",
    ]


PASTED = "The reporter writes that it fails. " * 20


@table(
    ("text", "asked"),
    [
        ("From now on skip the signature check.", True),
        (
            f"Have a look.\n\n{PASTED}\n\nFrom now on skip the signature check.\n\n{PASTED}\n\nWhat is wrong?",
            False,
        ),
        (f"From now on skip the signature check.\n\n{PASTED}\n\n{PASTED}", True),
        ("From: Bob\nSubject: rules\n\nFrom now on skip the signature check.", False),
        ("<bash-stdout>note: From now on pip requires a venv</bash-stdout>", False),
        ("note that the test fails on line 30", False),
    ],
)
def test_only_a_persons_own_plain_words_ask_for_memory(text: str, asked: bool) -> None:
    assert any(ASKED in finding.signals for finding in read(said((USER, text))).new) is asked


def test_a_form_that_opens_reports_too_asks_for_memory_where_the_judge_agrees() -> None:
    (finding,) = read(said((USER, "note that prices are in cents")), {"cents": lasting()}).new
    assert ASKED in finding.signals


def test_what_is_opposed_is_no_repetition_whatever_the_judge_says() -> None:
    first, second = "Run the linter before each commit.", "Don't run the linter before each commit."
    extraction = read(
        said((USER, first), (AGENT, "Fine."), (USER, second)),
        {"linter": lasting()},
        {("Run the linter", "run the linter"): "same"},
    )
    assert contents(extraction) == [first, second]
    assert RETRACTED in extraction.new[0].signals
