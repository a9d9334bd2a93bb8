"""The bundled model, end to end: the few tests where the model is the point."""

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast


@pytest.fixture(autouse=True)
def _bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")


def test_a_memory_is_found_by_what_it_means(project: Path) -> None:
    """No word in common; a question about something else finds nothing."""
    with Holdfast.open(project) as memory:
        memory.add("Failed requests back off exponentially before they are tried again", kind="decision")
        memory.add("Prices are integers in cents everywhere", kind="fact")
        memory.add("The deploy key lives in the vault", kind="fact")
        assert memory.search("retry policy")[0].title.startswith("Failed requests")
        assert memory.search("how do we represent money?")[0].title.startswith("Prices")
        assert memory.search("best hotels on the Amalfi coast") == []
        state = memory.stats().embedding
    assert state
    assert (state.kept, state.dimensions, dict(state.waiting)) == (
        "all-MiniLM-L6-v2-int8", 384, {"memory": 0, "turn": 0},
    )  # fmt: skip


def test_a_turn_is_found_by_speaker_date_and_meaning(project: Path) -> None:
    """As somebody asks about a conversation long ago."""
    with Holdfast.open(project) as memory:
        for day, ref in ((8, "may"), (20, "later")):
            with memory.start_session(agent="chat", at=f"2023-05-{day:02}", ref=ref) as session:
                session.record(
                    "Caroline", "I went to the pottery class yesterday.", at=f"2023-05-{day:02}", ref=f"{ref}-1"
                )
                session.record("Mel", "How nice! My kids love painting.", at=f"2023-05-{day:02}", ref=f"{ref}-2")
        memory.flush()
        hits = memory.search("What did Caroline do on 8 May 2023?", within="turns")
        assert hits[0].ref == "may-1"
        sessions = memory.search("ceramics course on 20 May 2023", within="sessions")
        assert sessions[0].ref == "later"


def test_keyword_search_loads_no_numbers(project: Path) -> None:
    """Neither numpy nor the model, in a process that only looks for words."""
    with Holdfast.open(project) as memory:
        memory.add("Jobs go through Redis")
        memory.flush()
    program = (
        "import sys; from holdfast import Holdfast\n"
        f"with Holdfast.open({str(project)!r}) as memory:\n"
        "    assert memory.search('redis', mode='keyword'); memory.stats(); memory.list()\n"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'numkong', 'usearch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_adds_and_searches_by_meaning_without_loading_the_model(project: Path) -> None:
    """A process that short should not load a model."""
    program = (
        "import sys; from holdfast.interfaces.cli.main import run\n"
        f"code = run([*sys.argv[1:], '--project', {str(project)!r}])\n"
        "print('onnxruntime' in sys.modules, file=sys.stderr); sys.exit(code)"
    )

    def holdfast(*arguments: str) -> tuple[str, bool]:
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr.split()[-1] == "True"

    assert holdfast("add", "Failed requests back off before they are tried again")[1] is False
    assert "until vectors are made: 1 memory" in holdfast("status")[0]
    assert "Every memory and turn has its vectors." in holdfast("reindex")[0]
    found, loaded = holdfast("search", "retry policy for failing requests")
    assert (found.count("Failed requests"), loaded) == (1, False)
    assert "waiting" not in holdfast("stats")[0]
