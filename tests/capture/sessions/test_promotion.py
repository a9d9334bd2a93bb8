"""Promotion: the points, presets and filters of the design, each by name."""

from msgspec.structs import replace

from holdfast.capture.sessions.promote import POINTS, Sightings, weigh
from holdfast.capture.sessions.voices import are_a_rule
from holdfast.model.finding import PRESETS, Evidence, Finding, Preset
from tests.judges import ScriptedJudge
from tests.table import table

ALONE = Sightings()
BALANCED = PRESETS["balanced"]


def finding(**fields: object) -> Finding:
    plain = Finding(
        id="id",
        session="session",
        kind="decision",
        content="Sessions end after eight hours of activity.",
        fingerprint="print",
        evidence=(Evidence(turn="turn", start=0, end=10),),
        importance=0.5,
        confidence=0.6,
        created_at=0,
    )
    return replace(plain, **fields)


def test_the_points_are_those_of_the_design() -> None:
    assert POINTS == {
        "user-intent": 5,
        "explicit-pin": 5,
        "multi-session": 2,
        "error-resolution": 2,
        "settled": 2,
        "multi-agent": 1,
        "high-importance": 1,
    }


def test_the_presets_are_those_of_the_design() -> None:
    assert {
        "conservative": Preset(points=4, importance=0.4, characters=50),
        "balanced": Preset(points=3, importance=0.25, characters=30),
        "aggressive": Preset(points=2, importance=0.15, characters=20),
    } == PRESETS


@table(
    ("signals", "importance", "sightings", "counted"),
    [
        ((), 0.5, ALONE, ()),
        (("likely",), 0.5, ALONE, ("settled",)),
        (("error-resolution",), 0.5, ALONE, ("error-resolution",)),
        ((), 0.7, ALONE, ("high-importance",)),
        ((), 0.69, ALONE, ()),
        ((), 0.5, Sightings(sessions=2), ("multi-session",)),
        ((), 0.5, Sightings(sessions=2, agents=2), ("multi-session", "multi-agent")),
        ((), 0.5, Sightings(agents=2), ("multi-agent",)),
        ((), 0.5, Sightings(remembered=True), ("user-intent",)),
        ((), 0.5, Sightings(remembered=True, pinned=True), ("user-intent", "explicit-pin")),
        (("likely", "retracted"), 0.7, ALONE, ("high-importance",)),
    ],
)
def test_signals_are_counted(
    signals: tuple[str, ...], importance: float, sightings: Sightings, counted: tuple[str, ...]
) -> None:
    judged = weigh(finding(signals=signals, importance=importance), sightings, BALANCED)
    assert judged.signals == counted
    assert judged.points == sum(POINTS[signal] for signal in counted)


@table(
    ("signals", "other_signals", "confidences", "other", "outcome"),
    [
        (("likely",), ("likely",), (0.9, 0.9), "Sessions idle for eight hours are ended.", False),
        (("likely", "working"), ("likely",), (0.6, 0.5), "Sessions idle for eight hours are ended.", True),
        (("likely",), ("hypothesis", "must"), (0.6, 0.5), "Sessions idle for eight hours are ended.", True),
        (("likely", "working"), ("hypothesis",), (0.5, 0.2), "Sessions idle for eight hours are ended.", False),
        (("likely",), ("likely",), (0.6, 0.5), "Sessions end after eight hours of activity!", True),
    ],
)
def test_a_repetition_makes_a_rule_of_a_way_of_working_or_of_the_same_words(
    signals: tuple[str, ...],
    other_signals: tuple[str, ...],
    confidences: tuple[float, float],
    other: str,
    outcome: bool,
) -> None:
    one = finding(signals=signals, confidence=confidences[0])
    another = finding(signals=other_signals, confidence=confidences[1], content=other)
    assert are_a_rule(one, another, ScriptedJudge()) is outcome


@table(
    ("signals", "sightings", "promoted"),
    [
        (("hypothesis",), ALONE, False),
        (("hypothesis",), Sightings(amends="memory"), True),
        (("hypothesis",), Sightings(disputes="memory"), True),
    ],
)
def test_a_noted_statement_counts_where_it_changes_what_is_known(
    signals: tuple[str, ...], sightings: Sightings, promoted: bool
) -> None:
    assert weigh(finding(signals=signals), sightings, BALANCED).promoted is promoted


def test_settled_and_important_is_promoted_under_balanced_and_aggressive_only() -> None:
    settled = finding(signals=("likely",), importance=0.7)
    promoted = [name for name, preset in PRESETS.items() if weigh(settled, ALONE, preset).promoted]
    assert promoted == ["balanced", "aggressive"]


def test_settled_in_two_sessions_is_promoted_under_every_preset() -> None:
    content = "Sessions end after eight hours, whatever the activity is."
    settled = finding(signals=("likely",), content=content)
    assert all(weigh(settled, Sightings(sessions=2), preset).promoted for preset in PRESETS.values())


@table(
    "fields",
    [
        {"content": "x" * 29},
        {"importance": 0.24},
        {"signals": ("hypothesis", "error-resolution")},
        {"signals": ("likely", "retracted")},
    ],
)
def test_hard_filters_hold_back_whatever_the_points(fields: dict[str, object]) -> None:
    assert not weigh(finding(**fields), Sightings(sessions=9, agents=9), Preset(0, 0.25, 30)).promoted


def test_what_the_judge_is_sure_of_may_be_short() -> None:
    short = finding(signals=("likely",), importance=0.7, content="Use bun, never npm.")
    assert weigh(short, ALONE, BALANCED).promoted
    assert not weigh(replace(short, importance=0.5), ALONE, BALANCED).promoted


@table("kind", ["file_change", "error", "task_progress", "discovery"])
def test_what_is_no_rule_and_no_repair_earns_nothing_by_being_seen_again(kind: str) -> None:
    assert weigh(finding(kind=kind), Sightings(sessions=9, agents=9), BALANCED).points == 0


def test_at_the_limits_a_filter_lets_pass() -> None:
    judged = weigh(finding(content="x" * 30, importance=0.25), Sightings(sessions=2, agents=2), BALANCED)
    assert judged.promoted
