"""One bad line, path or row in what is read in: it is named, and the other files are read."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import InvalidInput
from holdfast.ingest.import_entries import Importer, ImportOptions
from holdfast.service.service import Service
from holdfast.storage.ingest import read_table, transcripts_of
from holdfast.storage.open import open_service
from tests.ingest.transcripts.recordings import Recordings, ingest


@pytest.fixture
def recordings(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Recordings:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    found = Recordings(home, project)
    found.put()
    return found


@pytest.fixture
def service(project: Path) -> Iterator[Service]:
    opened = open_service(project, actor="test", embed_on_add=False)
    yield opened
    opened.close()


def test_a_transcript_that_leads_nowhere_is_named_and_the_others_are_read(
    service: Service, project: Path, recordings: Recordings
) -> None:
    astray = recordings.codex.with_name("rollout-astray.jsonl")
    astray.symlink_to(project / "gone.jsonl")
    done = ingest(service, project)
    assert (done.sessions, done.helpers) == (5, 1)


@pytest.mark.parametrize(
    "line", ["[" * 100_000, '{"timestamp": 1e400}', "\ud800", '{"type": "user", "message": 7}']
)
def test_a_line_that_nobody_can_read_takes_no_other_with_it(
    service: Service, project: Path, recordings: Recordings, line: str
) -> None:
    with recordings.claude.open("ab") as file:
        file.write(line.encode(errors="surrogatepass") + b"\n")
    done = ingest(service, project)
    assert (done.sessions, done.helpers, done.turns) == (5, 1, 25)


def test_a_wrong_name_among_transcripts_is_refused_before_any_is_read(
    service: Service, project: Path, recordings: Recordings
) -> None:
    with ExitStack() as stack, pytest.raises(InvalidInput, match=r"gone\.jsonl is no file"):
        next(transcripts_of(project).named([recordings.claude, project / "gone.jsonl"], stack))
    assert service.sessions() == []


def importer(service: Service) -> Importer:
    """Return what reads exports."""
    return Importer(exchange=service.exchange, project="", tables=read_table)


GRAPH = [
    {"type": "entity", "name": "Parser", "entityType": "module", "observations": ["is written by hand"]},
    {"type": "entity", "name": "Queue", "entityType": "module", "observations": ["retries seven times"]},
    {"type": "relation", "from": "Parser", "to": "Queue", "relationType": "feeds"},
]


def test_the_lines_of_the_mcp_memory_server_are_read_though_its_file_is_called_json(
    service: Service, project: Path
) -> None:
    path = project / "memory.json"
    path.write_text("\n".join(map(json.dumps, GRAPH)))
    done = importer(service).run(path, ImportOptions())
    assert (done.formats, done.created) == (("mcp-memory",), 3)


def test_a_bad_line_of_an_import_is_named_and_nothing_is_written(service: Service, project: Path) -> None:
    path = project / "memory.json"
    path.write_text("\n".join([json.dumps(GRAPH[0]), '{"type": "entity", "na', json.dumps(GRAPH[1])]))
    with pytest.raises(InvalidInput, match=r"memory\.json, line 2: is not JSON"):
        importer(service).run(path, ImportOptions())
    with Holdfast.open(project) as memory:
        assert memory.list() == []
