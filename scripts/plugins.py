"""Write the Claude Code plugin and the Gemini CLI extension, from what is installed: `make docs` runs this.

They call `holdfast` and `holdfast-hook` by name, so both must be on the path of whoever uses them.
"""

import json
import tomllib
from importlib import resources
from pathlib import Path

from holdfast.agents.claude import files as claude
from holdfast.agents.gemini import files as gemini
from holdfast.agents.targets import USER, InstallScope, JsonFile, Target

ROOT = Path(__file__).parents[1]
DESCRIPTION = "Memory that outlives a session: what was decided, learned and broken, there in the next one."
PLACE = InstallScope(USER, Path("home"), Path("project"), "holdfast-hook", "holdfast")
SERVERS = {"mcpServers": {"holdfast": {"command": "holdfast", "args": ["mcp"]}}}


def files() -> dict[str, str]:
    """Return every file of both packages, by its path from the root of the repository."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    about: dict[str, object] = {"name": "holdfast", "version": version, "description": DESCRIPTION}
    market = {"name": "holdfast", "source": "./plugins/claude", "description": DESCRIPTION}
    contents: dict[str, object] = {
        ".claude-plugin/marketplace.json": {
            "name": "holdfast",
            "owner": {"name": "holdfast"},
            "metadata": {"description": DESCRIPTION},
            "plugins": [market],
        },
        "plugins/claude/.claude-plugin/plugin.json": {**about, "author": {"name": "holdfast"}},
        "plugins/claude/.mcp.json": SERVERS,
        "plugins/claude/hooks/hooks.json": _hooks(claude.targets(PLACE)),
        "plugins/gemini/gemini-extension.json": {**about, **SERVERS},
        "plugins/gemini/hooks/hooks.json": _hooks(gemini.targets(PLACE)),
    }
    texts = {path: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for path, value in contents.items()}
    return texts | _commands("claude", "*.md") | _commands("gemini", "**/*.toml")


def _hooks(targets: list[Target]) -> dict[str, object]:
    """Return the hooks among what an installer installs, as the file of a plugin has them."""
    [settings] = [
        target for target in targets if isinstance(target, JsonFile) and target.path.name == "settings.json"
    ]
    return {"hooks": {edit.path[1]: [edit.value] for edit in settings.edits if edit.item}}


def _commands(agent: str, pattern: str) -> dict[str, str]:
    with resources.as_file(resources.files(f"holdfast.agents.{agent}").joinpath("commands")) as folder:
        return {
            f"plugins/{agent}/commands/{path.relative_to(folder)}": path.read_text(encoding="utf-8")
            for path in sorted(folder.glob(pattern))
        }


def main() -> None:
    """Write them all."""
    for path, text in files().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
