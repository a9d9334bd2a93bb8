"""What briefs said, and what becomes of it when something in it is forgotten, redacted or moved."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.model.requests import BriefRequest, Draft, ForgetRequest, Message
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.contract.briefs import a_receipt
from tests.secrets import AWS

QUEUE = "We settled on Postgres LISTEN/NOTIFY for the job queue"
FRIDAY = "Never deploy on a Friday afternoon"


@pytest.fixture
def service(project: Path, clock: FakeClock) -> Iterator[Service]:
    """A service on an empty project."""
    with contextlib.closing(open_service(project, actor="cli", clock=clock)) as opened:
        yield opened


def remember(service: Service, text: str, scope: str = "project") -> str:
    """Keep what a person said."""
    return str(service.add(Draft(content=text, kind="decision", trust="user", scope=scope)).id)


def kept_texts(service: Service) -> list[str]:
    """Return what briefs said, as far as it is kept, newest first."""
    return list(service._scopes.project.receipts.texts().values())


def told(service: Service, prompt: str | None = None) -> str:
    """Let an agent get a brief."""
    return service.context(BriefRequest(prompt=prompt, agent="codex")).text


def test_a_brief_is_kept_word_for_word(service: Service) -> None:
    remember(service, QUEUE)
    assert kept_texts(service) == []
    text = told(service)
    assert QUEUE in text
    assert kept_texts(service) == [text]


def test_a_text_goes_whole_with_a_memory_that_it_names(service: Service) -> None:
    queue, _ = remember(service, QUEUE), remember(service, FRIDAY)
    told(service)
    service.forget(queue)
    assert kept_texts(service) == []
    assert told(service) == kept_texts(service)[0]


def test_a_text_stays_that_has_nothing_of_what_is_forgotten(service: Service) -> None:
    remember(service, FRIDAY)
    text = told(service)
    queue = remember(service, QUEUE)
    service.forget(queue)
    assert kept_texts(service) == [text]


def test_a_text_goes_that_says_it_and_does_not_name_it(service: Service) -> None:
    """What another session just said is told by an id of its own."""
    queue = remember(service, QUEUE)
    store = service._scopes.project
    with store.writing():
        store.receipts.record(a_receipt(), f"By the way: {QUEUE.upper()}.")
    [text] = kept_texts(service)
    assert QUEUE.upper() in text
    service.forget(queue)
    assert kept_texts(service) == []


def test_the_users_own_memory_goes_from_briefs_of_the_project(service: Service) -> None:
    mine = remember(service, FRIDAY, "user")
    assert FRIDAY in told(service)
    service.forget(mine)
    assert kept_texts(service) == []


def test_forgetting_a_session_takes_what_briefs_said_since_it_began(service: Service, clock: FakeClock) -> None:
    remember(service, QUEUE)
    before = told(service)
    clock.advance(1_000)
    session = service.start_session("codex").id
    service.record(session, Message(role="user", text="The walrus sleeps"))
    told(service)
    service.forget_where(ForgetRequest(session=session))
    assert kept_texts(service) == [before]


def test_forgotten_words_leave_the_file_with_the_text(service: Service, project: Path) -> None:
    queue = remember(service, QUEUE)
    told(service)
    service.forget(queue)
    files = b"".join(file.read_bytes() for file in (project / ".holdfast").glob("memory.db*"))
    assert b"LISTEN/NOTIFY for the job queue" not in files


def test_a_second_look_for_secrets_reads_what_briefs_said(service: Service) -> None:
    remember(service, QUEUE)
    told(service)
    store = service._scopes.project
    [receipt_id] = store.receipts.texts()
    with store.writing():
        store.receipts.reword({receipt_id: f"the key is {AWS}, take it"})
    report = service.rescan_secrets("project")
    assert report.briefs == 1
    [text] = kept_texts(service)
    assert AWS not in text
    assert text.startswith("the key is ")


def test_a_preview_keeps_nothing(service: Service) -> None:
    remember(service, QUEUE)
    assert QUEUE in service.briefs.preview(BriefRequest(agent="codex")).brief.text
    assert (kept_texts(service), service.briefs.receipts(9)) == ([], [])


def test_a_text_is_not_kept_that_holds_what_the_caller_gave(service: Service) -> None:
    """Nobody has looked for secrets in that."""
    remember(service, FRIDAY)
    service.context(BriefRequest(prompt="When do we deploy?", bridge=["the pass phrase of staging"]))
    assert kept_texts(service) == []


def test_a_text_is_not_kept_where_something_was_forgotten_while_it_was_made(
    service: Service, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, _ = remember(service, QUEUE), remember(service, FRIDAY)
    write = service.briefs._write

    def write_and_forget(*arguments: object) -> object:
        made = write(*arguments)  # type: ignore[arg-type]  # as it was called
        clock.advance(1)
        service.forget(queue)
        return made

    monkeypatch.setattr(service.briefs, "_write", write_and_forget)
    told(service)
    assert kept_texts(service) == []
