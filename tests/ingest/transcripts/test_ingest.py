"""Past sessions become sessions: each turn once, whichever way it came."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.model.requests import ForgetRequest, Message, SearchRequest
from holdfast.model.search import Filters
from holdfast.model.session import Session
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.ingest.git.repositories import Repository
from tests.ingest.transcripts.recordings import CLAUDE, HELPER, Recordings, ingest
from tests.secrets import GITHUB

pytestmark = pytest.mark.usefixtures("keyword_judge")

CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot")


@pytest.fixture
def recordings(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Recordings:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Recordings(home, project)


@pytest.fixture
def service(project: Path, recordings: Recordings) -> Iterator[Service]:
    opened = open_service(project, actor="test", embed_on_add=False)
    yield opened
    opened.close()


def sessions(service: Service) -> dict[str, Session]:
    """Return every session by its ref."""
    return {str(session.ref): session for session in service.sessions()}


def told(service: Service, session: Session) -> list[tuple[str, str]]:
    """Return who said what, tools by the first line of what they were asked."""
    return [(turn.tool or turn.role, turn.text.split("\n")[0]) for turn in service.turns(session.id)]


def test_the_recorded_sessions_of_every_agent_are_read(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.put()
    done = ingest(service, project)
    assert (done.transcripts, done.sessions, done.helpers, done.turns) == (5, 5, 1, 25)
    assert done.agents == dict.fromkeys(
        ("claude-code", "claude-code/general-purpose", "codex", "gemini", "opencode", "copilot"), 1
    )
    found = {session.agent: told(service, session) for session in service.sessions()}
    asked, done_ = ("user", "please remember the zebra"), ("assistant", "All done.")
    search = '{"query": "hooks"}'
    assert found == {
        "claude-code": [
            ("user", "SPAWN now"),
            ("Agent", '{"description": "sub", "prompt": "say hi", "subagent_type": "general-purpose"}'),
            done_,
            done_,
            ("user", "/compact keep the zebra"),
        ],
        "claude-code/general-purpose": [
            ("assistant", "say hi"),
            ("Bash", "$ echo hi-from-bash"),
            ("Write", f'{{"file_path": "{project}/new.txt", "content": "one\\n"}}'),
            done_,
        ],
        "codex": [
            asked, ("exec_command", "$ echo hi-from-codex"), ("mcp__toymem__memory_search", search), done_,
        ],
        "gemini": [
            asked, ("run_shell_command", "$ echo hi-from-gemini"), ("mcp_toymem_memory_search", search), done_,
        ],
        "opencode": [asked, ("bash", "$ echo hi-from-oc"), ("toymem_memory_search", search), done_],
        "copilot": [asked, ("bash", "$ echo hi-from-oc"), ("toymem-memory_search", search), done_],
    }  # fmt: skip
    assert {session.status for session in service.sessions()} == {"completed"}


def test_nothing_that_hooks_or_clients_put_in_is_read(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.put()
    ingest(service, project)
    texts = [turn.text for session in service.sessions() for turn in service.turns(session.id)]
    for mark in ("MEMCTX", "PLAINCTX", "CLAUDEMD", "AGENTSMD", "system-reminder", "session_context"):
        assert not [text for text in texts if mark in text]


def test_the_sign_that_a_person_was_shown_is_nobody_s_words(
    service: Service, project: Path, recordings: Recordings
) -> None:
    """As Claude Code 2.1.325 and Gemini CLI 0.61.0 write it down; the others leave it out."""
    recordings.put()
    sign = "holdfast: 3 rules told, 1 learnt"
    answer = json.dumps({"systemMessage": sign})
    hook = {"hookName": "SessionStart:startup", "toolUseID": "t1", "hookEvent": "SessionStart"}
    printed = {"type": "hook_success", **hook, "content": "", "stdout": answer, "stderr": "", "exitCode": 0}
    for attachment in (printed, {"type": "hook_system_message", **hook, "content": sign}):
        recordings.say("", type="attachment", attachment=attachment, uuid=f"u-{attachment['type']}")
    with recordings.gemini.open("a", encoding="utf-8") as file:
        line = {"id": "i1", "timestamp": "2026-11-17T03:38:28.594Z", "type": "info", "content": sign}
        file.write(json.dumps(line) + "\n")
    assert ingest(service, project).turns == 25
    texts = [turn.text for session in service.sessions() for turn in service.turns(session.id)]
    assert not [text for text in texts if "rules told" in text]


def test_reading_twice_gives_the_same_store_as_once(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.put()

    def everything() -> list[object]:
        found = service.sessions()
        return [
            found,
            [service.turns(one.id) for one in found],
            [service.findings(one.id) for one in found],
            service.list(Filters(), 1_000),
            service.stats().counts.audit_events,
        ]

    ingest(service, project)
    before = everything()
    assert ingest(service, project).turns == 0
    for seen in (project.parent / "data" / "transcripts").iterdir():
        seen.unlink()
    assert ingest(service, project).turns == 0
    assert everything() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_a_session_that_hooks_heard_is_not_doubled(
    service: Service, project: Path, recordings: Recordings, client: str
) -> None:
    recordings.put()
    recordings.hear(client)
    [heard] = service.sessions()
    before = told(service, heard)
    assert len(before) >= 3
    ingest(service, project, client)
    [after] = [one for one in service.sessions() if one.parent is None]
    new = [one for one in told(service, after) if one not in before]
    expected = {
        "copilot": [("assistant", "All done.")],  # its hook finds the reply in the log, which is elsewhere here
    }
    assert (after.id, new) == (heard.id, expected.get(client, []))
    assert told(service, after)[: len(before)] == before
    assert after.status == "active"
    assert ingest(service, project, client).turns == 0


def test_what_a_helper_did_with_hooks_listening_is_not_doubled(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.put()
    recordings.hear("claude")
    ingest(service, project, "claude")
    assert list(sessions(service)) == [f"claude:{CLAUDE}"]


@pytest.mark.parametrize("client", ["claude", "codex", "opencode"])
def test_hooks_that_are_drained_after_the_transcript_was_read_double_nothing(
    service: Service, project: Path, recordings: Recordings, client: str
) -> None:
    recordings.put()
    ingest(service, project, client)
    before = {ref: told(service, one) for ref, one in sessions(service).items()}
    recordings.hear(client)
    after = {ref: told(service, one) for ref, one in sessions(service).items()}
    main = f"claude:{CLAUDE}"
    new = [one for one in after.get(main, []) if one not in before.get(main, [])]
    assert new == (
        [("Bash", "$ echo hi-from-bash")] if client == "claude" else []
    )  # a helper's, told to its agent
    assert {ref: after[ref] for ref in after if ref != main} == {ref: before[ref] for ref in before if ref != main}


def test_only_what_was_said_since_is_read_of_a_session_that_goes_on(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.put()
    ingest(service, project)
    recordings.say("All done.")
    recordings.say("We settled on integer cents for prices.")
    done = ingest(service, project)
    assert (done.sessions, done.turns) == (1, 2)
    session = sessions(service)[f"claude:{CLAUDE}"]
    assert told(service, session)[-2:] == [
        ("user", "All done."),
        ("user", "We settled on integer cents for prices."),
    ]
    assert session.status == "completed"
    [hit] = service.search(SearchRequest(query="integer cents", within="turns"))
    assert hit.session == session.id


def test_a_dry_run_says_the_same_and_leaves_nothing(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.put()
    done = ingest(service, project, dry_run=True)
    assert (done.sessions, done.helpers, done.turns, done.dry_run) == (5, 1, 25, True)
    assert service.sessions() == []
    assert ingest(service, project).turns == 25


def test_sessions_of_other_projects_are_left_alone(
    service: Service, project: Path, recordings: Recordings, tmp_path: Path
) -> None:
    other = tmp_path / "project-other"
    other.mkdir()
    recordings.put(other)
    assert ingest(service, project).transcripts == 0


def test_sessions_in_linked_worktrees_and_folders_are_the_projects(
    project: Path, recordings: Recordings, tmp_path: Path
) -> None:
    repository = Repository(project)
    repository.commit("first")
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", str(linked), "-b", "topic")
    for where in (linked, project / "src"):
        where.mkdir(exist_ok=True)
        recordings.put(where)
        service = open_service(project, actor="test", embed_on_add=False)
        expected = 5 if where == linked else 4  # Gemini names the folder by a hash only
        assert ingest(service, project, dry_run=True).transcripts == expected
        service.close()


def test_a_helper_is_a_session_of_its_own_and_what_it_says_settles_nothing(
    service: Service, project: Path, recordings: Recordings
) -> None:
    rule = "Settled: all prices are stored as integer cents in every table."
    helper = recordings.claude.with_suffix("") / "subagents" / f"agent-{HELPER}.jsonl"
    recordings.say("Let us store all prices as integer cents in every table, decided.")
    recordings.say(rule, type="assistant", message={"role": "assistant", "content": rule})
    recordings.say("Yes, exactly. Settled.")
    recordings.say(
        rule,
        helper,
        type="assistant",
        isSidechain=True,
        agentId=HELPER,
        message={"role": "assistant", "content": [{"type": "text", "text": rule}]},
    )
    ingest(service, project, "claude")
    found = sessions(service)
    child = found[f"claude:{CLAUDE}/{HELPER}"]
    assert (child.agent, child.parent) == ("claude-code/general", found[f"claude:{CLAUDE}"].id)
    [memory] = [one for one in service.list(Filters(), 100) if "integer cents" in one.content]
    signals = memory.metadata["signals"]
    assert isinstance(signals, list)
    assert "accepted" in signals
    assert not {"multi-agent", "multi-session"} & set(signals)
    assert service.findings(child.id) == []


def test_secrets_and_private_words_do_not_come_in(service: Service, project: Path, recordings: Recordings) -> None:
    recordings.say(f"The token is {GITHUB}.")
    recordings.say("This is <private>about salaries")
    recordings.say("and so is this</private> but not that.")
    ingest(service, project)
    texts = [turn.text for one in service.sessions() for turn in service.turns(one.id)]
    assert len(texts) == 3
    assert not [text for text in texts if GITHUB in text or "salaries" in text or "so is this" in text]
    assert texts[-1] == "but not that."


@pytest.mark.parametrize("client", ["claude", "gemini"])
def test_what_was_forgotten_does_not_come_back(
    service: Service, project: Path, recordings: Recordings, client: str
) -> None:
    recordings.put()
    recordings.hear(client)
    [session] = service.sessions()
    service.forget_where(ForgetRequest(session=session.id))
    ingest(service, project, client)
    texts = [turn.text for turn in service.turns(session.id)]
    assert not [text for text in texts if ("zebra" in text and "compact" not in text) or "SPAWN" in text]


def test_a_store_that_lost_a_session_gets_it_again(
    service: Service, project: Path, recordings: Recordings, tmp_path: Path
) -> None:
    """As when an older backup is restored: what is noted about files counts only together with the store."""
    recordings.put()
    ingest(service, project, "codex")
    [noted] = (tmp_path / "data" / "transcripts").iterdir()
    text = noted.read_text().replace(": 4}", ": 5}")
    noted.write_text(text)
    recordings.codex.write_bytes(recordings.codex.read_bytes())
    assert ingest(service, project, "codex").turns == 0
    assert ": 4}" in noted.read_text()


def test_what_cannot_be_read_in_a_transcript_is_passed_over(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.say("First.")
    with recordings.claude.open("ab") as file:
        file.write(b'\xff\xfe\x00 no JSON\n[1, 2]\nnull\n{"type": "user"}\n{"type": "user", "message": 7}\n')
        file.write(b'{"type": "user", "message": {"content": [7, {"type": "text", "text": null}]}}\n')
        file.write(b'{"type": "assistant", "message": {"content": ' + b"[" * 100_000 + b"\n")
    recordings.say("Second.")
    with recordings.claude.open("ab") as file:
        file.write(b'{"type": "user", "message": {"role": "user", "content": "half wri')
    ingest(service, project)
    [session] = service.sessions()
    assert told(service, session) == [("user", "First."), ("user", "Second.")]


@pytest.mark.parametrize("step", ["record", "checkpoint", "end_session"])
def test_a_session_whose_reading_was_interrupted_is_finished_by_the_next_run(
    service: Service, project: Path, recordings: Recordings, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Ctrl-C comes in the middle of the turns, or after the last one and before the session is read or ended."""
    recordings.put()
    whole, calls = getattr(service, step), [None] * (60 if step == "record" else 0)
    for number in range(60 if step == "record" else 0):
        recordings.say(
            f"We decided to use port {9_000 + number} for service {number}.",
            timestamp=f"2026-11-15T07:{number:02d}:00Z",
        )

    def interrupted(*arguments: object, **named: object) -> object:
        if not calls:
            raise KeyboardInterrupt
        calls.pop()
        return whole(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(service, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            ingest(service, project, "claude")
    assert "active" in {session.status for session in service.sessions()}
    ingest(service, project, "claude")
    found = service.sessions()
    assert {(one.status, one.turns_read == one.turns) for one in found} == {("completed", True)}
    assert ingest(service, project, "claude").turns == 0
    assert service.sessions() == found


def test_a_path_that_no_memory_can_hold_does_not_cost_the_turn(
    service: Service, project: Path, recordings: Recordings
) -> None:
    recordings.say("First.")
    recordings.touch("x/" * 700 + "f.py")
    recordings.say("Second.")
    assert ingest(service, project).skipped == {}
    [session] = service.sessions()
    assert [turn.role for turn in service.turns(session.id)] == ["user", "tool", "user"]
    assert [turn.files for turn in service.turns(session.id)] == [(), (), ()]


def test_a_message_that_cannot_be_kept_is_named_and_holds_back_no_other(
    service: Service, project: Path, recordings: Recordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = service.record

    def refusing(session_id: str, message: Message) -> object:
        if message.text == "Second.":
            raise InvalidInput(field="text", problem="cannot be kept.")
        return whole(session_id, message)

    monkeypatch.setattr(service, "record", refusing)
    for text in ("First.", "Second.", "Third."):
        recordings.say(text)
    done = ingest(service, project)
    assert done.skipped == {f"{recordings.claude}, message 2": "text: cannot be kept."}
    assert done.turns == 2
    [session] = service.sessions()
    assert told(service, session) == [("user", "First."), ("user", "Third.")]


def test_a_transcript_that_nobody_understands_holds_up_no_other(
    service: Service, project: Path, recordings: Recordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings.put()
    monkeypatch.setattr("holdfast.agents.codex.files.objects", lambda path: iter([{"payload": []}, 7]))
    done = ingest(service, project)
    assert list(done.skipped) == [str(recordings.codex)]
    assert "claude-code" in done.agents
