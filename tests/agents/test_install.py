"""Installing into every agent's files, and leaving them as they were."""

import json
import os
import stat
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from holdfast.agents import claude, documents, ledger, plan
from holdfast.agents.plan import AGENTS
from holdfast.agents.targets import PROJECT, SCOPES, USER, InstallScope
from holdfast.errors import AgentFileUnusable
from holdfast.machine import paths
from tests.rows import each

MOVING = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "OPENCODE_CONFIG_DIR",
    "CLINE_DIR",
    "CLINE_DATA_DIR",
    "XDG_CONFIG_HOME",
)
"""Variables that move an agent's files."""
HOOK, SERVER = "/opt/hold fast/bin/holdfast-hook", "/opt/hold fast/bin/holdfast"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and no agent that was moved elsewhere."""
    for name in MOVING:
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "home"
    place.mkdir()
    return place


def where(home: Path, project: Path, scope: str = USER, hook: str = HOOK) -> InstallScope:
    """Return where to install."""
    return InstallScope(scope, home, project, hook, SERVER)


def install(name: str, place: InstallScope) -> list[plan.Change]:
    """Install into an agent; return what changed."""
    changes = plan.installing(AGENTS[name].targets(place))
    plan.install(changes, AGENTS[name].name)
    return [change for change in changes if not change.nothing]


def uninstall(name: str, place: InstallScope) -> None:
    """Uninstall from an agent."""
    plan.uninstall(plan.uninstalling(AGENTS[name].targets(place)))


def files(*folders: Path) -> dict[str, bytes]:
    """Return every file below some folders, and the folders themselves."""
    return {
        str(path): path.read_bytes() if path.is_file() else b"folder"
        for folder in folders
        for path in sorted(folder.rglob("*"))
    }


def read(path: Path) -> dict[str, object]:
    """Return the value of a JSON file."""
    value = documents.loads(path.read_text())
    assert isinstance(value, dict)
    return value


@each("scope", SCOPES, fresh=("home", "project"))
@each("name", AGENTS, fresh=("home", "project"))
def test_uninstalling_leaves_no_trace(home: Path, project: Path, name: str, scope: str) -> None:
    before = files(home, project)
    place = where(home, project, scope)
    assert install(name, place) != []
    assert files(home, project) != before
    uninstall(name, place)
    assert files(home, project) == before
    assert not ledger.ledger_folder().exists()


@each("scope", SCOPES, fresh=("home", "project"))
@each("name", AGENTS, fresh=("home", "project"))
def test_installing_twice_changes_nothing(home: Path, project: Path, name: str, scope: str) -> None:
    place = where(home, project, scope)
    install(name, place)
    once = files(home, project)
    assert install(name, place) == []
    assert files(home, project) == once


SETTINGS = """{
  // mine
  "model": "x", // keep
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}
}"""
SERVERS = '{"mcpServers": {"other": {"command": "o", "alwaysAllow": ["x"]}}}'
EXISTING = {
    "claude": {
        ".claude/settings.json": SETTINGS,
        ".claude.json": '{"mcpServers": {"other": {"command": "o"}}, "n": 3}',
    },
    "codex": {
        ".codex/hooks.json": '{"description": "mine", "hooks": {}}',
        ".codex/config.toml": '# mine\nmodel = "x"  # keep\n\n[mcp_servers.other]\ncommand = "o"\n\n[tui]\nt=1\n',
    },
    "gemini": {".gemini/settings.json": SETTINGS.replace("Stop", "AfterAgent")},
    "opencode": {".config/opencode/opencode.jsonc": '{\n\t"mcp": {}, /* none yet */\n}\n'},
    "copilot": {".copilot/mcp-config.json": '{"mcpServers":{}}'},
    "cursor": {".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "mine"}]}}'},
    "windsurf": {".codeium/windsurf/mcp_config.json": '{"mcpServers": {"other": {"serverUrl": "o"}}}'},
    "cline": {
        ".cline/data/settings/cline_mcp_settings.json": '{"mcpServers": {"other": {"command": "o"}}}\n',
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": "{}",
    },
    "roo": {
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json": "{}",
        ".config/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json": SERVERS,
    },
    "zed": {
        ".config/zed/settings.json": SETTINGS.replace('"hooks"', '"context_servers"').replace("}\n}", "},\n}")
    },
    "vscode": {
        ".config/Code/User/mcp.json": '{\n\t// mine\n\t"servers": {"a": {"url": "mine"},}, // keep\n}',
        ".config/Code - Insiders/User/mcp.json": "",
    },
}


def with_existing(home: Path, name: str) -> None:
    """Put files of the user there first."""
    for path, text in EXISTING[name].items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(text.encode())


@each("name", AGENTS, fresh=("home", "project"))
def test_what_was_there_stays_and_is_back_to_the_byte(home: Path, project: Path, name: str) -> None:
    with_existing(home, name)
    before = files(home)
    place = where(home, project)
    install(name, place)
    for path, text in EXISTING[name].items():
        now = (home / path).read_text()
        assert [line for line in ("// mine", "// keep", "# mine", "# keep", "/* none yet */") if line in text] == [
            line for line in ("// mine", "// keep", "# mine", "# keep", "/* none yet */") if line in now
        ]
        assert '"mine"' not in text or '"mine"' in now
    install(name, where(home, project, hook="/elsewhere/holdfast-hook"))
    uninstall(name, place)
    assert files(home) == before


@each("name", AGENTS, fresh=("home", "project"))
def test_what_others_changed_meanwhile_is_kept_and_ours_still_goes(home: Path, project: Path, name: str) -> None:
    with_existing(home, name)
    place = where(home, project)
    install(name, place)
    for path in EXISTING[name]:
        file = home / path
        if file.suffix == ".toml":
            file.write_text(file.read_text() + '\n[mcp_servers.later]\ncommand = "l"  # later\n')
        else:
            file.write_text(documents.with_member(file.read_text(), ("later",), {"kept": True}))
    uninstall(name, place)
    for path, text in EXISTING[name].items():
        file = home / path
        assert "holdfast" not in file.read_text()
        if file.suffix == ".toml":
            found = tomllib.loads(file.read_text())
            assert found == tomllib.loads(text) | {
                "mcp_servers": {"other": {"command": "o"}, "later": {"command": "l"}}
            }
            assert "# later" in file.read_text()
        else:
            assert read(file) == documents.loads(text) | {"later": {"kept": True}}  # type: ignore[operator]  # objects


def test_hooks_of_an_earlier_installation_are_replaced_not_doubled(home: Path, project: Path) -> None:
    install("claude", where(home, project, hook="/old/bin/holdfast-hook"))
    install("claude", where(home, project))
    text = (home / ".claude" / "settings.json").read_text()
    assert "/old/bin" not in text
    assert text.count("holdfast-hook") == len(claude.EVENTS)


def test_a_hook_of_somebody_else_in_a_group_with_ours_stays(home: Path, project: Path) -> None:
    theirs = [{"command": "mine"}, {"command": "pgrep holdfast-hook"}, {"command": "/x/not-holdfast-hook"}]
    ours = [{"command": "/old/holdfast-hook claude Stop"}, {"command": "'/o l d/holdfast-hook' claude Stop"}]
    group = {"hooks": [ours[0], theirs[0], ours[1], *theirs[1:]]}
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"Stop": [group, {"hooks": ours}]}}, indent=2))
    install("claude", where(home, project))
    assert read(settings)["hooks"]["Stop"][0] == {"hooks": theirs}  # type: ignore[index]  # an object
    uninstall("claude", where(home, project))
    assert read(settings) == {"hooks": {"Stop": [{"hooks": theirs}]}}


def test_without_its_record_an_installation_is_taken_out_all_the_same(home: Path, project: Path) -> None:
    with_existing(home, "claude")
    install("claude", where(home, project))
    for entry in ledger.ledger_folder().iterdir():
        entry.unlink()
    uninstall("claude", where(home, project))
    found = read(home / ".claude" / "settings.json")
    assert found == documents.loads(SETTINGS)
    assert read(home / ".claude.json") == {"mcpServers": {"other": {"command": "o"}}, "n": 3}


@each("name", ["claude", "codex", "gemini"], fresh=("home", "project"))
def test_every_event_that_hooks_understand_is_installed(home: Path, project: Path, name: str) -> None:
    install(name, where(home, project))
    path = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}[
        name
    ]
    hooks = read(home / path)["hooks"]
    assert isinstance(hooks, dict)
    commands = {event: group[0]["hooks"][0]["command"] for event, group in hooks.items()}
    assert commands == {
        event: f"'{HOOK}' {name} {event} 2>/dev/null || true"
        for event in import_module(f"holdfast.agents.{name}").EVENTS
    }


def test_a_command_whose_program_is_gone_succeeds_in_silence(home: Path, project: Path) -> None:
    command = where(home, project, hook="/gone/holdfast-hook").command("claude", "Stop")
    done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_server_is_called_with_its_full_path(home: Path, project: Path) -> None:
    place = where(home, project)
    for name in AGENTS:
        install(name, place)
    assert read(home / ".claude.json")["mcpServers"] == {
        "holdfast": {"type": "stdio", "command": SERVER, "args": ["mcp"], "env": {}}
    }
    config = tomllib.loads((home / ".codex" / "config.toml").read_text())
    assert config["mcp_servers"]["holdfast"] == {"command": SERVER, "args": ["mcp"]}
    mcp = read(home / ".config" / "opencode" / "opencode.json")["mcp"]
    assert mcp == {"holdfast": {"type": "local", "command": [SERVER, "mcp"], "enabled": True}}


def test_the_project_gets_its_files_in_its_own_folders(home: Path, project: Path) -> None:
    for name in AGENTS:
        install(name, where(home, project, PROJECT))
    assert files(home) == {}
    made = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert {
        ".claude/settings.json",
        ".mcp.json",
        ".codex/hooks.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".opencode/plugin/holdfast.js",
        "opencode.json",
        ".github/hooks/holdfast.json",
        ".github/mcp.json",
        ".cursor/hooks.json",
        ".cursor/mcp.json",
    } <= made


def test_an_agent_that_was_moved_is_followed(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    install("claude", where(home, project))
    install("codex", where(home, project))
    assert files(home) == {}
    assert (tmp_path / "elsewhere" / "settings.json").exists()
    assert (tmp_path / "elsewhere" / ".claude.json").exists()
    assert (tmp_path / "codex" / "hooks.json").exists()


def test_a_settings_file_behind_a_link_stays_behind_it_and_keeps_its_mode(home: Path, project: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(real)
    install("claude", where(home, project))
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "holdfast-hook" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    uninstall("claude", where(home, project))
    assert real.read_text() == "{}"


def test_a_file_that_cannot_be_read_is_left_alone_and_named(home: Path, project: Path) -> None:
    (home / ".claude").mkdir()
    broken = home / ".claude" / "settings.json"
    broken.write_text('{"hooks": ')
    with pytest.raises(AgentFileUnusable, match=r"settings\.json cannot be changed: line 1"):
        install("claude", where(home, project))
    assert broken.read_text() == '{"hooks": '
    assert not (home / ".claude.json").exists(), "an agent is installed whole or not at all"


OWN_SERVERS = {
    "claude": (".claude.json", '{"mcpServers": {"holdfast": {"command": "mine"}}}'),
    "codex": (".codex/config.toml", '[mcp_servers.holdfast]\ncommand = "mine"\n'),
    "vscode": (
        ".config/Code/User/mcp.json",
        '{"servers": {\n  // by hand\n  "holdfast": {"command": "holdfast", "args": ["mcp", "--project"]}}}',
    ),
    "zed": (".config/zed/settings.json", '{"context_servers": {"holdfast": {"command": "mine"}, "b": {}}}'),
}
"""Entries that people wrote by hand, under our name."""


@each("name", OWN_SERVERS, fresh=("home", "project"))
def test_a_server_of_the_user_that_has_our_name_comes_back(home: Path, project: Path, name: str) -> None:
    place, text = OWN_SERVERS[name]
    file = home / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    install(name, where(home, project))
    assert file.read_text() != text
    install(name, where(home, project))
    uninstall(name, where(home, project))
    assert file.read_text() == text


@each("name", ["claude", "codex"], fresh=("home", "project"))
def test_it_comes_back_too_where_somebody_changed_the_file_meanwhile(home: Path, project: Path, name: str) -> None:
    place, text = OWN_SERVERS[name]
    file = home / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    install(name, where(home, project))
    changed = file.read_text()
    file.write_text(changed.replace("{", '{"more": 1, ', 1) if name == "claude" else f"more = 1\n{changed}")
    uninstall(name, where(home, project))
    assert "mine" in file.read_text()
    assert "more" in file.read_text()


def test_a_server_of_ours_that_the_user_amended_goes(home: Path, project: Path) -> None:
    install("claude", where(home, project))
    file = home / ".claude.json"
    file.write_text(file.read_text().replace('"env": {}', '"env": {"HOLDFAST_DEBUG": "1"}'))
    uninstall("claude", where(home, project))
    assert not file.exists()


def test_somebody_elses_command_of_the_same_name_is_not_overwritten(home: Path, project: Path) -> None:
    other = home / ".config" / "opencode" / "plugin" / "holdfast.js"
    other.parent.mkdir(parents=True)
    other.write_text("export const Other = 1\n")
    with pytest.raises(AgentFileUnusable, match="somebody else's"):
        install("opencode", where(home, project))
    assert other.read_text() == "export const Other = 1\n"


def test_a_command_of_the_user_that_names_holdfast_is_not_overwritten(home: Path, project: Path) -> None:
    mine = home / ".claude" / "commands" / "remember.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("Ask holdfast slash first, then me.\n")
    with pytest.raises(AgentFileUnusable, match="somebody else's"):
        install("claude", where(home, project))
    uninstall("claude", where(home, project))
    assert mine.read_text() == "Ask holdfast slash first, then me.\n"


@each("name", AGENTS, fresh=("home", "project"))
def test_files_of_ours_are_known_without_their_record(home: Path, project: Path, name: str) -> None:
    install(name, where(home, project, hook="/old/holdfast-hook"))
    for entry in ledger.ledger_folder().iterdir():
        entry.unlink()
    install(name, where(home, project))
    for entry in ledger.ledger_folder().iterdir():
        entry.unlink()
    uninstall(name, where(home, project))
    assert [path for path in files(home) if path.endswith((".md", ".js", "hooks/holdfast.json"))] == []


def test_copies_of_what_was_there_are_for_their_owner_alone(home: Path, project: Path) -> None:
    with_existing(home, "claude")
    install("claude", where(home, project))
    kept = list(ledger.ledger_folder().iterdir())
    assert len(kept) >= 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE(ledger.ledger_folder().stat().st_mode) == 0o700
    copies = [json.loads(path.read_text())["before"] for path in kept]
    assert any(copies)


def test_the_change_is_shown_line_by_line(home: Path, project: Path) -> None:
    with_existing(home, "codex")
    changes = plan.installing(AGENTS["codex"].targets(where(home, project)))
    config = next(change for change in changes if change.path.name == "config.toml")
    assert config.verb == "change"
    added = [line for line in config.diff().splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert '+command = "/opt/hold fast/bin/holdfast"' in added
    assert not [line for line in config.diff().splitlines() if line.startswith("-") and not line.startswith("---")]
    assert os.path.exists(config.path), "looking changes nothing"
    assert "holdfast" not in config.path.read_text()


def test_the_plugin_of_opencode_calls_the_hook_by_its_path(home: Path, project: Path) -> None:
    install("opencode", where(home, project))
    text = (home / ".config" / "opencode" / "plugin" / "holdfast.js").read_text()
    assert f"const HOOK = {json.dumps(HOOK)}" in text
    assert f"const PROGRAM = {json.dumps(SERVER)}" in text


def test_the_ledger_lives_in_the_users_data(home: Path, project: Path) -> None:
    install("claude", where(home, project))
    assert str(ledger.ledger_folder()).startswith(paths.data_directory())
