"""`redact.allow`: what the user lets through."""

from pathlib import Path

import pytest

from holdfast import ConfigError, Holdfast
from tests.secrets import GITHUB, MAIL


def kept(project: Path) -> str:
    """Return what is kept of a text that has both."""
    with Holdfast.open(project) as memory:
        return memory.get(str(memory.add(f"mail {MAIL}, key {GITHUB}").id))[0].content


def configure(tmp_path: Path, text: str) -> None:
    """Write the user's own settings."""
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "config.toml").write_text(text, encoding="utf-8")


def test_without_it_everything_is_redacted(project: Path) -> None:
    assert kept(project) == "mail [REDACTED:email], key [REDACTED:github-token]"


def test_literal_texts_and_patterns_are_let_through(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, f"[redact]\nallow = ['{GITHUB}', '/[a-z.]+@corp-mail\\.io/']\n")
    assert kept(project) == f"mail {MAIL}, key {GITHUB}"


def test_the_environment_gives_a_list_between_commas(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_REDACT_ALLOW", f"other, {MAIL}")
    assert kept(project) == f"mail {MAIL}, key [REDACTED:github-token]"


UNUSABLE = (
    ("5", "must be a list of texts, not 5"),
    ("[1]", r"must be a list of texts"),
    ("['']", r"must be a list of texts"),
    ("['/a(/']", r"/a\(/ is not a regular expression"),
)


def test_what_cannot_be_used_is_named(project: Path, tmp_path: Path) -> None:
    for value, problem in UNUSABLE:
        configure(tmp_path, f"[redact]\nallow = {value}\n")
        with pytest.raises(ConfigError, match=rf"^redact\.allow: .*{problem}"):
            Holdfast.open(project)


def test_a_repository_cannot_let_secrets_through(project: Path) -> None:
    """A cloned config must not switch redaction off."""
    (project / ".holdfast").mkdir()
    (project / ".holdfast" / "config.toml").write_text("[redact]\nallow = ['/.*/']\n")
    assert kept(project) == "mail [REDACTED:email], key [REDACTED:github-token]"
    with Holdfast.open(project) as memory:
        assert memory.stats().ignored_settings == ("redact.allow",)
