"""Every id that a brief shows can be read in full, by every interface."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast, Quote
from holdfast.errors import AmbiguousId, InvalidInput
from holdfast.interfaces.mcp.tools import get
from holdfast.interfaces.mcp.values import GetArguments
from holdfast.model.finding import Evidence
from holdfast.service.read import Quotes
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_finding, a_session, a_turn, keep_turns
from tests.embedded import service_behind
from tests.hooking import hook, prompt

pytestmark = pytest.mark.usefixtures("keyword_judge")

RULE = "A capture is never attempted more than seven times at the acquirer."
PROMPT = "How often do we attempt a capture at the acquirer?"


@pytest.fixture
def memory(project: Path) -> Holdfast:
    """A project in which a person stated a rule in a session."""
    opened = Holdfast.open(project)
    with opened.start_session(agent="codex") as session:
        session.record("user", RULE)
    return opened


def shown(text: str) -> list[str]:
    """Return the short ids that a brief shows."""
    return re.findall(r"#([0-9a-f]{8}) ", text)


def test_what_a_brief_tells_of_a_session_is_read_by_its_id(memory: Holdfast) -> None:
    with memory:
        [short] = shown(memory.context(PROMPT).text)
        [session] = memory.sessions()
        [quote] = memory.quotes(short)
        assert (quote.source, quote.kind, quote.session) == ("thread", "thread", session.id)
        assert quote.content.splitlines()[1:] == [RULE]
        assert memory.quotes([quote.id, "#" + short]) == [quote, quote]
        assert memory.quotes("00000000") == []


def test_the_command_shows_it_with_its_session_and_date(memory: Holdfast, project: Path) -> None:
    with memory:
        [short] = shown(memory.context(PROMPT).text)
        [session] = memory.sessions()
    program = Path(sys.executable).with_name("holdfast")
    done = subprocess.run(
        [program, "get", short, "--project", project], capture_output=True, text=True, check=True
    )
    head, about, _, _, said = done.stdout.splitlines()
    assert re.fullmatch(rf"thread {short}  \d{{4}}-\d\d-\d\dT[\d:]+Z", head)
    assert about == f"session: {session.id[-8:]}"
    assert said == RULE


def test_the_tool_shows_memories_and_what_was_said_alike_and_names_what_is_unknown(memory: Holdfast) -> None:
    with memory:
        [short] = shown(memory.context(PROMPT).text)
        added = memory.add("Prices are stored in integer cents.", trust="user")
        asked = GetArguments(ids=(short, added.id or "", "0123456789abcdef"))
        result = get.act(service_behind(memory), asked)
    assert [one.content for one in result.memories] == ["Prices are stored in integer cents."]
    [quote] = result.quotes
    assert quote.startswith(f"thread {short}, ")
    assert quote.endswith(RULE)
    assert ", session " in quote
    assert result.unknown == ("0123456789abcdef",)
    assert quote in result.text
    assert "Nothing has the id 0123456789abcdef." in result.text


def test_how_the_last_session_ended_is_read_by_its_id(project: Path) -> None:
    with Holdfast.open(project) as memory:
        with memory.start_session(agent="codex") as session:
            session.record("user", "Migrate the billing tables.")
            session.record("assistant", "Done: the billing rows move in batches of 500.")
        [quote] = memory.quotes(session.id[-8:])
        assert (quote.source, quote.role) == ("session", "codex")
        assert "billing" in quote.content


def test_what_waits_in_the_spool_is_read_by_the_id_that_a_brief_shows(project: Path) -> None:
    subprocess.run(["git", "init", "-q", project], check=True)
    hook("codex", "UserPromptSubmit", prompt(project, RULE, session="s1"))
    with Holdfast.open(project) as memory:
        [short] = shown(memory.context().text)
        [quote] = memory.quotes(short)
        assert (quote.kind, quote.content) == ("turn", RULE)


def test_a_finding_is_read_with_the_role_of_whom_it_was_read_from() -> None:
    store, session = SqliteStore.in_memory(), a_session()
    turn = a_turn(session, "Never restart the simulator.", role="user")
    keep_turns(store, session, turn)
    said = Evidence(turn=turn.id, start=0, end=28)
    finding = a_finding(session, content="Never restart the simulator.", kind="warning", evidence=(said,))
    with store.writing():
        store.findings.put([finding])
    assert Quotes(store, None).get([finding.id[-8:]]) == [
        Quote(
            id=finding.id,
            source="finding",
            kind="warning",
            content="Never restart the simulator.",
            created_at=finding.created_at,
            session=session.id,
            role="user",
            files=finding.files,
        )
    ]


def test_an_id_that_fits_two_things_is_refused_with_both() -> None:
    store, session = SqliteStore.in_memory(), a_session()
    turns = [a_turn(session, "x", id=f"01a31600-0000-7000-8000-00{part}87654321", at=NOW) for part in ("cc", "dd")]
    keep_turns(store, session, *turns)
    with pytest.raises(AmbiguousId, match=turns[1].id):
        Quotes(store, None).get(["87654321"])


def test_what_is_no_id_is_refused_and_what_is_none_of_ours_is_left_out(memory: Holdfast) -> None:
    with memory:
        assert memory.quotes(["nothing", "#1", ""]) == []
        with pytest.raises(InvalidInput, match="ids"):
            memory.quotes([7])  # type: ignore[list-item]  # wrong on purpose
