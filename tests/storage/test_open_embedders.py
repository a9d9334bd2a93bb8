"""From settings to an embedder."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import MeaningUnavailable
from holdfast.settings.load import vouch_for_config


def use(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    """Set embedding settings through the environment."""
    for name, value in settings.items():
        monkeypatch.setenv(f"HOLDFAST_EMBEDDING_{name.upper()}", value)


def problem_of(project: Path) -> str | None:
    """Use memory without vectors; return why there are none."""
    with Holdfast.open(project) as memory:
        memory.add("Jobs go through Redis")
        assert [hit.title for hit in memory.search("redis")] == ["Jobs go through Redis"]
        with pytest.raises(MeaningUnavailable):
            memory.search("redis", mode="vector")
        memory.flush()
        state = memory.stats().embedding
    assert state
    assert state.model is None
    assert state.problem == state.notice
    return state.problem


@pytest.mark.parametrize("model", ["remote", "fastembed"])
def test_half_a_configuration_costs_vectors_only_and_says_what_is_missing(
    project: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """Settings are made one after the other, and memory must work in between."""
    use(monkeypatch, model=model, url="http://127.0.0.1:1/v1")
    assert problem_of(project) == "embedding.remote_model is needed for the embedding.model that was chosen"
    use(monkeypatch, remote_model="m")
    assert problem_of(project) == "embedding.dimensions is needed for the embedding.model that was chosen"


def test_a_server_needs_an_address_that_is_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, model="remote", remote_model="m", dimensions="3")
    assert problem_of(project) == "embedding.url is needed for the embedding.model that was chosen"
    use(monkeypatch, url="ftp://host")
    assert problem_of(project) == "the embedding server cannot be asked: ftp://host is no http(s) address"
    use(monkeypatch, url="http://host/v1", key="sec\nret")
    assert "the key holds something that no key does" in str(problem_of(project))


def test_a_line_end_after_the_key_is_no_part_of_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, model="remote", remote_model="m", dimensions="3", url="http://127.0.0.1:1/v1", key="k\n")
    with Holdfast.open(project) as memory:
        state = memory.stats().embedding
    assert state
    assert (state.model, state.problem) == ("m", None)


def test_a_server_that_is_down_costs_vectors_only(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    down = {"url": "http://127.0.0.1:1/v1", "timeout_ms": "100"}
    use(monkeypatch, model="remote", remote_model="m", dimensions="3", **down)
    monkeypatch.setattr("holdfast.embedding.remote.RemoteEmbedder._wait", lambda *waited: 0.0)
    with Holdfast.open(project) as memory:
        assert memory.add("Jobs go through Redis").created
        assert [hit.title for hit in memory.search("redis")] == ["Jobs go through Redis"]
        memory.flush()
        state = memory.stats().embedding
    assert state
    assert (state.model, dict(state.waiting)) == ("m", {"memory": 1, "turn": 0})
    assert "127.0.0.1:1/v1 did not answer" in str(state.problem)


def test_nobody_who_waits_for_something_else_waits_for_a_server(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an add nor a search nor the end of a session sends it what is to be embedded."""
    use(monkeypatch, model="remote", remote_model="m", dimensions="3", url="http://127.0.0.1:1/v1")
    monkeypatch.setattr("holdfast.embedding.remote.post", lambda *request: pytest.fail("it was asked"))
    with Holdfast.open(project) as memory:
        memory.add("Jobs go through Redis")
        with memory.start_session(agent="codex") as session:
            session.record("user", "Where do jobs go?")
        memory.search("redis", within="all")


def test_a_project_s_setting_does_not_decide_for_the_user_s_own_store(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or two projects would take its vectors away from each other."""
    monkeypatch.delenv("HOLDFAST_EMBEDDING_MODEL")
    (project / ".holdfast").mkdir()
    (project / ".holdfast" / "config.toml").write_text('[embedding]\nmodel = "hashing"\n')
    vouch_for_config(project / ".holdfast" / "config.toml")
    with Holdfast.open(project) as memory:
        memory.add("Jobs go through Redis")
        memory.add("Short commits, please", scope="user")
        memory.flush()
        memory.reindex(scope="user")
        stats = memory.stats()
        assert len(memory.search("commits")) == 1
    assert stats.embedding
    assert stats.user_embedding
    assert (stats.embedding.kept, stats.user_embedding.kept) == ("hashing-fnv1a-v1", None)
    assert dict(stats.user_embedding.waiting) == {"memory": 1, "turn": 0}
    assert stats.user_embedding.problem == (
        "your own store does not go by the embedding.model that this project sets"
    )
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "hashing")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with Holdfast.open(elsewhere) as memory:
        memory.flush()
    monkeypatch.delenv("HOLDFAST_EMBEDDING_MODEL")
    with Holdfast.open(project) as memory:
        own = memory.stats().user_embedding
    assert own
    assert (own.kept, own.problem) == ("hashing-fnv1a-v1", None)


def test_a_repository_may_not_choose_where_texts_are_sent(project: Path) -> None:
    home = project / ".holdfast"
    home.mkdir()
    (home / "config.toml").write_text('[embedding]\nmodel = "remote"\nurl = "http://evil.example/v1"\n')
    with Holdfast.open(project) as memory:
        assert set(memory.stats().ignored_settings) == {"embedding.model", "embedding.url"}
