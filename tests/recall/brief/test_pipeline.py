"""From a prompt to a brief: what gets in, what stays out, and what a reader is told to mind."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast import Brief, Holdfast
from holdfast.embedding.fastembed import CrossEncoder
from holdfast.machine import failures
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.contract.builders import NOW
from tests.embedded import service_behind
from tests.recall.brief.chats import DAY, record, talk
from tests.table import table

pytestmark = pytest.mark.usefixtures("keyword_judge")

RETRY = (
    ("u", "The acquirer answers 429 in bursts, our capture client gives up too early."),
    ("a", "I'd retry every failed capture, without any limit."),
    ("u", "No, exactly seven attempts: the eighth trips their limiter."),
    ("a", "Settled: a capture is attempted seven times at most, because the eighth trips the acquirer's limiter."),
)
PROMPT = "The capture client hammers the acquirer until the limiter trips. How many attempts do we allow?"


def items(brief: Brief, tier: str = "retrieval") -> list[str]:
    """Return the ids of what is in a part of a brief."""
    return [one.id for one in brief.items if one.tier == tier]


def fill(memory: Holdfast, chats: int = 20) -> None:
    """Record chats in which nothing is settled."""
    for number in range(chats):
        record(memory, *talk(number), days_ago=40 + number)


def test_the_turn_that_decided_is_in_the_brief_with_its_date_and_nothing_else(memory: Holdfast) -> None:
    fill(memory)
    record(memory, *RETRY)
    brief = memory.context(PROMPT)
    assert "attempted seven times at most" in brief.text
    assert "without any limit" not in brief.text
    assert "Maybe I could" not in brief.text
    assert "- thread 2027-01-05 #" in brief.text
    [best, *_] = brief.items
    assert best.tier == "retrieval"
    assert set(best.why) == {"relevance", "kind", "recency", "reads", "files", "status", "trust"}
    assert best.score == pytest.approx(
        best.why["relevance"] * best.why["kind"] * best.why["recency"] * best.why["status"] * best.why["trust"],
        abs=0.002,
    )


def test_a_reranker_that_breaks_costs_its_order_and_no_brief(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(encoder: CrossEncoder, query: str, texts: Sequence[str]) -> list[float]:
        raise RuntimeError("the runtime of a model gave up on a text")

    monkeypatch.setattr(CrossEncoder, "rerank", broken)
    monkeypatch.setenv("HOLDFAST_BRIEF_RERANKER", "fastembed")
    with Holdfast(open_service(project, actor="python", clock=clock)) as memory:
        record(memory, *RETRY)
        brief = memory.context(PROMPT)
    assert (brief.failure, "attempted seven times at most" in brief.text) == (None, True)
    assert "rerank" in {step for _, step, _ in failures.failures(str(project))}


@pytest.mark.parametrize(
    "prompt",
    ["python sort a list of tuples by second element", "write a haiku about autumn", "the", "?!"],
)
def test_nothing_relevant_nothing_injected(memory: Holdfast, prompt: str) -> None:
    fill(memory)
    record(memory, *RETRY)
    brief = memory.context(prompt)
    assert (brief.text, brief.tokens, brief.items, brief.failure) == ("", 0, (), None)


def test_a_memory_is_in_the_brief_above_the_turns_that_say_the_same(memory: Holdfast) -> None:
    record(memory, *RETRY)
    added = memory.add(
        "A capture is attempted seven times at most, because the eighth trips the acquirer's limiter.",
        kind="decision",
        trust="user",
    )
    brief = memory.context(PROMPT)
    assert items(brief)[0] == added.id
    assert brief.text.count("seven times at most") == 1


def test_pinned_memories_take_no_room_from_what_is_found(memory: Holdfast) -> None:
    for number in range(5):
        added = memory.add(f"The capture client backs off {number + 2} seconds at the acquirer.", trust="user")
        memory.pin(added.id or "")
    found = memory.add("The capture client gives up at the acquirer after seven attempts.", trust="user")
    tiers = {one.id: one.tier for one in memory.context(PROMPT).items}
    assert tiers[found.id or ""] == "retrieval"
    assert list(tiers.values()).count("always") == 5


def test_pinned_memories_are_in_every_brief_first_and_once(memory: Holdfast) -> None:
    added = memory.add("Never store tokens in local storage.", kind="warning", trust="user")
    memory.pin(added.id or "")
    for prompt in (None, "a haiku about autumn", "may tokens go into local storage?"):
        brief = memory.context(prompt)
        assert items(brief, "always") == [added.id]
        assert items(brief) == []


@pytest.mark.parametrize(
    ("trust", "there"), [("user", True), ("agent", True), ("imported", False), ("tool", False)]
)
def test_what_came_from_files_or_tools_is_never_carried_always(memory: Holdfast, trust: str, there: bool) -> None:
    added = memory.add("Never store tokens in local storage.", trust=trust)
    memory.pin(added.id or "")
    assert (items(memory.context("a haiku"), "always") == [added.id]) is there


def test_what_a_tool_said_is_never_injected_by_itself(memory: Holdfast) -> None:
    memory.add("Settled: the capture client makes seven attempts, the acquirer's limiter trips.", trust="tool")
    record(memory, ("t", "Settled: the capture client makes seven attempts until the acquirer's limiter trips."))
    record(memory, ("u", "run it"), ("t", "capture client: seven attempts; the limiter of the acquirer trips"))
    assert memory.context(PROMPT).text == ""


def test_what_was_ingested_is_told_as_imported_and_unconfirmed(memory: Holdfast) -> None:
    memory.add("The capture client makes seven attempts before the acquirer's limiter trips.", trust="imported")
    brief = memory.context(PROMPT)
    assert " imported: [unconfirmed] The capture client" in brief.text


def test_superseded_and_expired_memories_stay_out(memory: Holdfast, clock: FakeClock) -> None:
    old = memory.add("The capture client makes nine attempts at the acquirer.", trust="user")
    memory.add("The capture client makes seven attempts at the acquirer.", trust="user", supersedes=old.id)
    memory.add("The capture client makes five attempts at the acquirer today.", trust="user", expires="1h")
    clock.advance(DAY)
    text = memory.context(PROMPT).text
    assert "seven" in text
    assert "nine" not in text
    assert "five" not in text


def test_what_the_asking_session_said_is_left_out(memory: Holdfast) -> None:
    session = record(memory, *RETRY)
    assert memory.context(PROMPT).text
    assert memory.context(PROMPT, session=session).text == ""


def test_the_prompt_itself_is_no_evidence_when_it_was_recorded(memory: Holdfast) -> None:
    prompt = "Cap the walrus importer at exactly seven ocelots."
    record(memory, ("u", prompt), days_ago=0)
    assert memory.context(prompt).text == ""


def test_a_later_session_that_changes_the_rule_wins(memory: Holdfast) -> None:
    fill(memory)
    record(memory, *RETRY, days_ago=30)
    record(
        memory,
        ("u", "The acquirer raised its limiter, seven attempts is too few for captures."),
        ("a", "Amended: a capture is attempted twelve times at most before the acquirer's limiter trips."),
        days_ago=3,
    )
    text = memory.context(PROMPT).text
    assert "twelve times" in text
    assert "seven times at most" not in text


def test_a_rule_that_a_later_session_changed_in_a_part_is_not_told_as_it_was(memory: Holdfast) -> None:
    record(
        memory,
        ("u", "Captures at the acquirer need rules: fifty in a batch, seven attempts, signed with the shop key."),
        (
            "a",
            "Settled: captures go out in batches of fifty, at most seven attempts each, signed with the shop key.",
        ),
        days_ago=30,
    )
    record(memory, ("u", "From now on captures get twelve attempts instead of seven."), days_ago=3)
    text = memory.context("captures fail: how many attempts, which batches, which key at the acquirer?").text
    assert "twelve attempts" in text
    assert "at most seven attempts" not in text


def test_a_later_session_that_only_talks_about_the_rule_changes_nothing(memory: Holdfast) -> None:
    record(memory, *RETRY, days_ago=30)
    record(
        memory,
        ("u", "Is there a metric for the capture attempts?"),
        ("a", "Yes, capture_attempts_total, by acquirer."),
        days_ago=3,
    )
    text = memory.context(PROMPT).text
    assert "seven times at most" in text
    assert "superseded" not in text


SEVEN = "A capture is attempted seven times at most at the acquirer."
TWELVE = "Captures at the acquirer are attempted twelve times from now on, no longer seven."


@table(
    ("later", "status", "leaves"),
    [
        (("u", TWELVE), "confirmed", "twelve"),
        (("u", TWELVE), "candidate", "twelve"),
        (("u", TWELVE), "pinned", "both"),
        (("u", "Captures at the acquirer are never attempted from the test bench."), "confirmed", "seven"),
        (("u", "Captures at the acquirer never take twelve seconds."), "confirmed", "seven"),
        (("a", TWELVE), "confirmed", "seven"),
    ],
)
def test_the_users_later_word_takes_the_place_of_an_earlier_one(
    later: tuple[str, str],
    status: str,
    leaves: str,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where nothing is learnt, so that no memory says it."""
    monkeypatch.setenv("HOLDFAST_CAPTURE_AUTO", "false")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    service = open_service(tmp_path_factory.mktemp("project"), actor="python", clock=FakeClock())
    with Holdfast(service) as memory:
        trust = "agent" if status == "candidate" else "user"
        added = memory.add(SEVEN, trust=trust, at=NOW - 40 * DAY)
        if status == "pinned":
            memory.pin(added.id or "")
        record(memory, later, days_ago=1)
        text = memory.context(PROMPT).text
    told = {name for name in ("seven", "twelve") if f"{name} times" in text}
    assert told == ({"seven", "twelve"} if leaves == "both" else {leaves})


def test_a_learnt_change_of_what_the_user_wrote_by_hand_is_told_as_a_conflict(memory: Holdfast) -> None:
    memory.add(SEVEN, trust="user", at=NOW - 40 * DAY)
    record(memory, ("u", TWELVE.replace(" from now on", "")), days_ago=1)
    brief = memory.context(PROMPT)
    [conflict] = brief.conflicts
    assert "twelve times" in brief.text
    assert conflict.marker in brief.text


def test_likeness_of_wording_is_no_supersession(memory: Holdfast) -> None:
    memory.add("Next step: billing page.", trust="user", at=NOW - 40 * DAY)
    memory.add("Next step: profile page.", trust="user", at=NOW - 2 * DAY)
    brief = memory.context("what is our next step on the billing page and the profile page?")
    assert len(items(brief)) == 2
    assert "superseded" not in brief.text


@pytest.mark.parametrize(
    "said",
    [
        "Should the capture client make seven attempts before the acquirer's limiter trips?",
        "The capture client, the acquirer, the limiter and its attempts:",
        "Yes, the acquirer limiter.",
    ],
    ids=["question", "label", "acknowledgement"],
)
def test_what_says_nothing_by_itself_is_no_entry(memory: Holdfast, said: str) -> None:
    record(memory, ("u", said))
    assert memory.context(PROMPT).text == ""


def test_what_is_told_of_a_message_is_its_statements_in_one_line(memory: Holdfast) -> None:
    rule = "Decision: the capture client never makes more than seven attempts at the acquirer."
    record(
        memory,
        ("u", f"Morning!\n\nDid you see the logs?\n{rule}\nThe eighth always trips their limiter."),
    )
    text = memory.context(PROMPT).text
    assert f": {rule} The eighth always trips their limiter.\n" in text
    assert "logs?" not in text


def test_the_word_of_a_person_is_told_and_an_agent_s_only_where_it_was_taken(memory: Holdfast) -> None:
    record(
        memory,
        ("u", "How does the capture client treat the acquirer's limiter?"),
        ("a", "The capture client should make nine attempts at the acquirer until the limiter trips."),
        ("u", "No, wrong: never more than seven attempts of the capture client at the acquirer's limiter."),
    )
    text = memory.context(PROMPT).text
    assert "seven attempts" in text
    assert "nine attempts" not in text


def test_a_file_that_changed_since_is_marked(memory: Holdfast, project: Path) -> None:
    (project / "capture.py").write_text("LIMIT = 7\n")
    memory.add("The capture client makes seven attempts at the acquirer.", files=["capture.py"], trust="user")
    assert "changed since" not in memory.context(PROMPT).text
    (project / "capture.py").write_text("LIMIT = 12\n")
    brief = memory.context(PROMPT)
    assert "[changed since: capture.py] The capture client" in brief.text
    assert brief.items[0].marks == ("changed since: capture.py",)
    (project / "capture.py").unlink()
    assert "[changed since: capture.py]" in memory.context(PROMPT).text


@pytest.mark.parametrize(
    ("then", "now", "marked"),
    [("feature/x", "main", True), ("feature/x", "feature/x", False), ("main", "feature/x", False)],
)
def test_what_was_learnt_on_another_branch_says_so(
    memory: Holdfast, project: Path, then: str, now: str, marked: bool
) -> None:
    git = project / ".git"
    memory.close()
    git.mkdir()
    for place in ("objects", "refs/heads"):
        (git / place).mkdir(parents=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{then}\n")
    with Holdfast.open(project) as here:
        here.add("The capture client makes seven attempts at the acquirer.", trust="user")
        (git / "HEAD").write_text(f"ref: refs/heads/{now}\n")
        assert (f"[from branch {then}]" in here.context(PROMPT).text) is marked


def test_the_file_at_hand_lifts_what_is_about_it(memory: Holdfast) -> None:
    memory.add("Keep imports sorted here.", files=["src/pay/capture.py"], trust="user")
    brief = memory.context("tidy the imports", files=["src/pay/capture.py"])
    assert brief.items[0].why["files"] == 1.4
    plain = memory.context("tidy the imports in src/pay/capture.py")
    assert plain.items[0].why["files"] == 1.4


def test_a_project_s_own_alias_leads_to_what_is_called_otherwise(memory: Holdfast) -> None:
    memory.add("Keycloak issues every token.", kind="decision", trust="user")
    assert memory.context("what do we use as sso broker?").text == ""
    service_behind(memory).aliases.add("sso", ["keycloak"])
    service_behind(memory).aliases.add("broker", ["issues"])
    assert "Keycloak issues" in memory.context("what do we use as sso broker?").text
