"""The files that `holdfast install` leaves in an empty home, byte for byte, and those that `uninstall` leaves."""

from pathlib import Path

from scripts.golden.answers import Plain, lines_of
from scripts.golden.checkout import Checkout, environment, run

AGENTS = "claude codex gemini opencode copilot cursor windsurf cline roo zed vscode".split()
SCOPES = ("--user", "--project")
OWN_FILES = {
    ".claude/settings.json": '{\n  // mine\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n',
    ".claude/CLAUDE.md": "# Mine\n\nBe brief.\n",
    ".codex/config.toml": '# mine\nmodel = "o4"\n\n[mcp_servers.other]\ncommand = "other"\n',
    ".gemini/settings.json": '{"theme": "dark", "mcpServers": {"other": {"command": "x"}}}',
    ".cursor/mcp.json": '{\r\n\t"mcpServers": {}\r\n}\r\n',
    ".config/opencode/opencode.json": '{ "share": "disabled", }\n',
    ".config/zed/settings.json": '// mine\n{ "theme": "One", }\n',
}
"""Files of a person who has these agents: comments, tabs, a file without a last line feed."""


def answers(checkout: Checkout, place: Path) -> dict[str, Plain]:
    """Install into each agent and out of it again, in a home and a project of their own."""
    recorded: dict[str, Plain] = {}
    for scope in SCOPES:
        for agent in AGENTS:
            recorded |= _both_ways(checkout, place / f"{agent}{scope}", [agent], scope, {})
    for scope in SCOPES:
        recorded |= _both_ways(checkout, place / f"all{scope}", ["all"], scope, OWN_FILES)
    return recorded


def _both_ways(
    checkout: Checkout, place: Path, agents: list[str], scope: str, own_files: dict[str, str]
) -> dict[str, Plain]:
    home, project = place / "home", place / "project"
    home.mkdir(parents=True)
    project.mkdir()
    for name, text in own_files.items():
        for folder in (home, project):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode())
    recorded: dict[str, Plain] = {}
    variables = environment(place)
    for verb in ("install", "uninstall"):
        done = run([checkout.program("holdfast"), verb, *agents, scope, "--json"], variables, project)
        hidden = ((str(place), "<place>"), (str(checkout.folder), "<checkout>"))
        report: Plain = {
            "code": done.code,
            "out": lines_of(_masked(done.out, hidden)),
            "err": _masked(done.err, hidden),
        }
        recorded[f"{agents[0]} {scope} {verb}"] = {
            "report": report,
            "files": {**_files(home, "~", hidden), **_files(project, "project", hidden)},
        }
    return recorded


def _files(folder: Path, role: str, hidden: tuple[tuple[str, str], ...]) -> dict[str, Plain]:
    """Return every file below a folder by name: its mode, and its text with nothing but paths masked."""
    found: dict[str, Plain] = {}
    for path in sorted(folder.rglob("*")):
        name = f"{role}/{path.relative_to(folder)}"
        mode = oct(path.lstat().st_mode & 0o777)
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_dir():
            found[name] = f"folder {mode}"
        else:
            text = _masked(path.read_bytes().decode("utf-8", "backslashreplace"), hidden)
            found[name] = [mode, *lines_of(text)]
    return found


def _masked(text: str, hidden: tuple[tuple[str, str], ...]) -> str:
    for found, role in hidden:
        text = text.replace(found, role)
    return text
