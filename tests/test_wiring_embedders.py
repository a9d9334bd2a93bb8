"""From settings to an embedder."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import ConfigError
from holdfast.wiring import open_service


def use(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    """Set embedding settings through the environment."""
    for name, value in settings.items():
        monkeypatch.setenv(f"HOLDFAST_EMBEDDING_{name.upper()}", value)


@pytest.mark.parametrize("model", ["remote", "fastembed"])
def test_a_model_elsewhere_needs_its_name_and_size(
    project: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    use(monkeypatch, model=model, url="http://127.0.0.1:1/v1")
    with pytest.raises(ConfigError, match=r"embedding\.remote_model: is needed"):
        open_service(project, actor="python")
    use(monkeypatch, remote_model="m")
    with pytest.raises(ConfigError, match=r"embedding\.dimensions: is needed"):
        open_service(project, actor="python")


def test_a_server_needs_an_address_that_is_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, model="remote", remote_model="m", dimensions="3")
    with pytest.raises(ConfigError, match=r"embedding\.url: is needed"):
        open_service(project, actor="python")
    use(monkeypatch, url="ftp://host")
    with pytest.raises(ConfigError, match=r"embedding\.url: not an http\(s\) address"):
        open_service(project, actor="python")


def test_a_server_that_is_down_costs_vectors_only(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(
        monkeypatch,
        model="remote",
        remote_model="m",
        dimensions="3",
        url="http://127.0.0.1:1/v1",
        timeout_ms="100",
    )
    with Holdfast.open(project) as memory:
        assert memory.add("Jobs go through Redis").created
        assert [hit.title for hit in memory.search("redis")] == ["Jobs go through Redis"]
        state = memory.stats().embedding
    assert state
    assert (state.model, dict(state.waiting)) == ("m", {"memory": 1, "turn": 0})
    assert "127.0.0.1:1/v1 did not answer" in str(state.problem)


def test_a_repository_may_not_choose_where_texts_are_sent(project: Path) -> None:
    home = project / ".holdfast"
    home.mkdir()
    (home / "config.toml").write_text('[embedding]\nmodel = "remote"\nurl = "http://evil.example/v1"\n')
    with Holdfast.open(project) as memory:
        assert set(memory.stats().ignored_settings) == {"embedding.model", "embedding.url"}
