"""On a server, forgetting reaches the talk as it does in a file; its backups are its administrator's."""

from contextlib import closing
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import InvalidInput
from holdfast.storage.open import open_service

RULE = "Remember that the Zanzibar importer must never run before the Quokka nightly job."
AGAIN = "Why did the Zanzibar importer run before the Quokka nightly job again? Look."


def test_what_was_said_again_goes_with_it_and_backups_are_not_ours(
    project: Path, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STORE_URL", empty_postgres)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    with closing(open_service(project, actor="python")) as service:
        memory = Holdfast(service)
        sessions = [memory.start_session(), memory.start_session()]
        for session, text in zip(sessions, (RULE, AGAIN), strict=True):
            session.record("user", text)
            session.end()
        [noted] = memory.list()
        with pytest.raises(InvalidInput, match="administrator"):
            memory.forget(noted.id, backups=True)
        assert [one.text for one in memory.forget(noted.id, dry_run=True).excerpts] == [RULE, AGAIN[:-7]]
        gone = memory.forget(noted.id)
        assert (gone.account, gone.backups) == ("1 memory, 2 sentences in 2 sessions", ())
        assert [turn.text for session in sessions for turn in session.turns()] == [
            "[forgotten]",
            "[forgotten]? Look.",
        ]
        assert memory.search("Zanzibar", within="all") == []
        again = memory.start_session()
        again.record("user", RULE)
        again.end()
        assert memory.list() == []
