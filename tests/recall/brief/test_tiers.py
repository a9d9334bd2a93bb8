"""What was only said is told as said, with its day: never under the heading of rules, at the start only where it
very probably lasts; and no statement stands twice in one brief."""

from collections.abc import Sequence

from holdfast.model.brief import Brief
from holdfast.model.kinds import CANDIDATE, CONFIRMED, PINNED, PROMOTED
from holdfast.model.memory import Memory, Origin
from holdfast.model.requests import BriefRequest
from holdfast.model.thread import Thread, ThreadStatement
from holdfast.recall.brief.notes import BriefNote
from holdfast.recall.brief.once import unrepeated_memories, unrepeated_summaries
from holdfast.recall.brief.parts import MOST_SAID
from holdfast.recall.brief.weights import VERY_SURE
from holdfast.service.briefs import Briefs, BriefSettings
from holdfast.service.scopes import Scopes
from holdfast.stores.sqlite.store import SqliteStore
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory, a_session, a_thread, an_id, keep
from tests.table import table

SAID = "Captures are attempted seven times at most."
RULE = "Every release needs a changelog entry."
PROMPT = "How many times do we attempt captures at most?"


def said(text: str, probability: float = 0.95, **fields: object) -> Memory:
    """Return what learning keeps of a person's sentence that was judged to last."""
    judged = {"judged": {"lasts": probability, "must": True, "working": True}}
    fixed = {"trust": "user", "status": CANDIDATE, "sources": (PROMOTED,), "metadata": judged}
    return a_memory(content=text, confidence=probability, **(fixed | fields))


def rule(text: str, **fields: object) -> Memory:
    """Return what a person stated."""
    return a_memory(content=text, **({"trust": "user", "status": CONFIRMED, "kind": "decision"} | fields))


def tell(
    *memories: Memory,
    agent: str = "codex",
    prompt: str | None = None,
    summary: str | None = None,
    threads: Sequence[Thread] = (),
) -> Brief:
    """Return the brief over a store that holds these memories."""
    store = SqliteStore.in_memory()
    keep(store, *memories)
    with store.writing():
        store.threads.put(threads)
    if summary:
        with store.writing():
            store.sessions.insert(a_session(status="completed", summary=summary, ended_at=NOW))
    origin = Origin(project="p", tenant="local", user="ada")
    briefs = Briefs(Scopes(store), FakeClock(), lambda: origin, BriefSettings())
    brief = briefs.context(BriefRequest(prompt=prompt, agent=agent))
    assert brief.failure is None
    return brief


@table(
    ("agent", "heading", "line"),
    [
        ("claude-code", "<said>\n", "\nsaid on 2027-01-15: Captures are"),
        ("gemini", "### Said by the user, not confirmed\n", "\n- said on 2027-01-15: Captures are"),
        ("codex", "SAID BY THE USER, NOT CONFIRMED\n", "\n- said on 2027-01-15: Captures are"),
    ],
)
def test_a_start_tells_rules_and_below_them_what_was_said_and_when(agent: str, heading: str, line: str) -> None:
    brief = tell(rule(RULE), said(SAID), agent=agent)
    rules, _, below = brief.text.partition(heading)
    assert RULE in rules
    assert SAID not in rules
    assert line in f"\n{below}"
    assert [item.tier for item in brief.items] == ["rules", "said"]


@table(
    ("memory", "tier"),
    [
        (said(SAID), "said"),
        (said(SAID, VERY_SURE), "said"),
        (said(SAID, VERY_SURE - 0.01), None),
        (said(SAID, status=CONFIRMED), "rules"),
        (said(SAID, status=PINNED), "always"),
        (said(SAID, trust="agent"), None),
        (said(SAID, sources=("manual",)), None),
        (said(SAID, valid_until=NOW), None),
    ],
)
def test_only_what_a_person_said_and_very_probably_lasts_is_told_at_the_start(
    memory: Memory, tier: str | None
) -> None:
    assert [item.tier for item in tell(memory).items] == ([tier] if tier else [])


@table(
    ("agent", "entry"),
    [
        ("claude-code", 'kind="said on" date="2027-01-15" trust="user">Captures'),
        ("gemini", "- **said on** 2027-01-15 #"),
        ("codex", "- said on 2027-01-15 #"),
    ],
)
def test_on_a_prompt_what_was_said_is_told_as_said(agent: str, entry: str) -> None:
    for probability in (0.5, 0.95):
        brief = tell(said(SAID, probability), agent=agent, prompt=PROMPT)
        assert entry in brief.text
        assert "unconfirmed" not in brief.text


def test_of_many_sayings_the_surest_are_told_the_newest_first() -> None:
    sayings = [
        said(f"Depot {n} is owned by crew {n * 7}.", 0.99 - n / 100, created_at=NOW - n)
        for n in range(MOST_SAID + 4)
    ]
    brief = tell(*sayings)
    assert [item.id for item in brief.items] == [saying.id for saying in sayings[:MOST_SAID]]


def test_sayings_take_no_room_from_rules() -> None:
    rules = [
        rule(f"Depot {number} is owned by the crew number {number * 7} of the harbour.") for number in range(200)
    ]
    without, beside = tell(*rules), tell(*rules, said(SAID))
    assert [item.id for item in beside.items] == [item.id for item in without.items]


def test_the_same_words_are_told_once_where_they_weigh_most() -> None:
    brief = tell(
        rule(RULE, status=PINNED, fingerprint="a"), rule(RULE, fingerprint="b"), said(RULE, fingerprint="c")
    )
    assert [item.tier for item in brief.items] == ["always"]
    kept = unrepeated_memories([rule(RULE), rule("every release needs a changelog entry")], [])
    assert [memory.content for memory in kept] == [RULE]


@table(
    ("summary", "left"),
    [
        ("Goal: Every release needs a changelog entry", ""),
        ("Goal: Please remember that every release needs a changelog entry.", ""),
        (
            "Goal: Port the importer.\nDecided: Every release needs a changelog entry. · Use uv",
            "Goal: Port the importer.\nDecided: Use uv",
        ),
        ("Goal: Port the importer.\nDecided: Every release needs a change…", "Goal: Port the importer."),
        ("Decided: (3 more) · Every release needs a changelog entry.", ""),
        ("Decided: Use uv for packages\nOpen: Use uv for packages", "Decided: Use uv for packages"),
        ("Goal: Say what every release needs, with a link to its page of changes", None),
        ("Decided: Never think that every release needs a changelog entry.", None),
        ("Decided: Every release needs no changelog entry.", None),
        ("Changed: every/release/needs.py", None),
        ("All went well, every release needs work", None),
        ("", ""),
    ],
)
def test_a_summary_does_not_repeat_what_stands_elsewhere(summary: str, left: str | None) -> None:
    """Where nothing is given, nothing goes."""
    expected = summary if left is None else left
    note = BriefNote(id="1", kind="session", text=summary, at=NOW)
    assert [one.text for one in unrepeated_summaries([note], [RULE])] == ([expected] if expected else [])


def test_how_the_last_session_ended_is_told_without_its_rules() -> None:
    """What it decided stands in its threads."""
    summary = f"Goal: Port the importer.\nDecided: {RULE} · Use uv\nOpen: Port the tests."
    brief = tell(rule(RULE), summary=summary)
    assert ": Goal: Port the importer. · Open: Port the tests.\n" in brief.text
    assert "Use uv" not in brief.text
    assert brief.text.count(RULE) == 1


LARGE = [rule(f"Depot {number} is owned by the crew number {number * 7} of the harbour.") for number in range(60)]


def test_what_a_person_only_took_over_is_left_to_its_thread() -> None:
    taken = rule(SAID, trust="agent", sources=(PROMOTED,), metadata={"signals": ["accepted"]})
    asked = rule(RULE, sources=(PROMOTED,), metadata={"signals": ["asked"]})
    assert [item.id for item in tell(taken, asked).items] == [asked.id]


def test_a_start_names_the_subjects_of_threads_in_a_note_where_it_does_not_tell_them() -> None:
    settled = a_thread(ThreadStatement(turn=None, trust="user", memory=LARGE[0].id), title="harbour, depots")
    passing = a_thread(title="colours of buttons")
    brief = tell(*LARGE, threads=(settled, passing))
    assert "(Memory knows more about: harbour, depots. Ask" in brief.text
    assert "colours of buttons" not in brief.text


def test_a_line_that_points_back_is_told_with_its_subject() -> None:
    line = said("That never goes to production before the canary is green.")
    thread = a_thread(ThreadStatement(turn=None, trust="user", memory=line.id), title="checkout")
    brief = tell(line, threads=(thread,))
    assert "said on 2027-01-15: checkout: That never goes to production" in brief.text


def test_a_statement_that_a_later_thread_replaced_is_not_told_at_the_start() -> None:
    line = said(SAID)
    statement = ThreadStatement(turn=None, trust="user", memory=line.id, replaced_by=an_id())
    assert tell(line, threads=(a_thread(statement),)).items == ()


def test_on_a_prompt_nothing_repeats_what_is_pinned() -> None:
    brief = tell(rule(SAID, status=PINNED, fingerprint="a"), rule(SAID, fingerprint="b"), prompt=PROMPT)
    assert [item.tier for item in brief.items] == ["always"]
