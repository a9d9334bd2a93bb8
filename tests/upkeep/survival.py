"""What people take in survives upkeep: functions, commits and notes, years later."""

from pathlib import Path

from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.storage.open import open_service
from tests.conftest import FakeClock

CHUNK = 2_000


def drafts(functions: int, commits: int, notes: int) -> list[Draft]:
    """Make what an import of each makes: texts that are much alike, of kinds that would fade."""
    made = [
        Draft(
            content=f"def handler_{number}(request):\n    return render(request, template_{number})",
            source="import",
            trust="imported",
            kind="observation",
        )
        for number in range(functions)
    ]
    made += [
        Draft(
            content=f"Fix the rounding of invoice {number}",
            source="git",
            trust="imported",
            kind=("bugfix", "change", "feature")[number % 3],
            at="2019-05-06",
        )
        for number in range(commits)
    ]
    made += [
        Draft(content=f"Note {number}: the walrus sleeps in pool {number % 97}", source="a.md", trust="imported")
        for number in range(notes)
    ]
    return made


def assert_everything_survives(project: Path, *, functions: int, commits: int, notes: int) -> None:
    """Take everything in, let two years pass with upkeep and cleanups, and find all of it."""
    clock = FakeClock()
    service = open_service(project, actor="test", clock=clock, embed_on_add=False)
    made = drafts(functions, commits, notes)
    for start in range(0, len(made), CHUNK):
        service.add_many(made[start : start + CHUNK])
    service.close()
    for _ in range(6):
        clock.advance(120 * DAY_MS)
        service = open_service(project, actor="test", clock=clock, embed_on_add=False)
        clock.advance(2 * DAY_MS)
        service.upkeep.when_due()
        done = service.cleanup()
        assert (done.gone, done.merged) == ((), ())
        service.close()
    service = open_service(project, actor="test", clock=clock, embed_on_add=False)
    counts = service.stats().counts
    assert counts.memories == functions + commits + notes
    assert (counts.faded, counts.superseded, counts.expired) == (0, 0, 0)
    assert len(service.list(Filters(), 100_000)) == min(100_000, counts.memories)
    service.close()
