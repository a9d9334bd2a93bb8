"""Installing into editors and their extensions: where their files are on each platform, what stands in them."""

import json
import sys
from pathlib import Path, PurePosixPath

import pytest

from holdfast.agents import documents, plan
from holdfast.agents.editors import ZED_INSTRUCTIONS
from holdfast.agents.plan import AGENTS
from holdfast.agents.targets import PROJECT, SectionFile
from holdfast.errors import AgentFileUnusable
from holdfast.interfaces.mcp.catalogue import TOOLS
from tests.agents.test_install import SERVER, files, install, read, uninstall, where
from tests.agents.test_install import home as home
from tests.rows import each

EDITORS = ("windsurf", "cline", "roo", "zed", "vscode")
ANYWHERE = ("windsurf", "cline")
"""Who may start a server outside the folder that is open."""
STDIO = {"command": SERVER, "args": ["mcp"]}
ROO_STORAGE = "User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"


def made_in(folder: Path) -> set[str]:
    """Return the files below a folder."""
    return {str(PurePosixPath(path.relative_to(folder))) for path in folder.rglob("*") if path.is_file()}


@each(
    "platform, application_data, zed",
    [
        ("linux", ".config", ".config/zed"),
        ("darwin", "Library/Application Support", ".config/zed"),
        ("win32", "AppData/Roaming", "AppData/Roaming/Zed"),
    ],
)
def test_every_platform_has_its_own_places(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, platform: str, application_data: str, zed: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("APPDATA", raising=False)
    targets = [target for name in EDITORS for target in AGENTS[name].targets(where(home, project))]
    assert {target.path.relative_to(home).as_posix() for target in targets} == {
        ".codeium/windsurf/mcp_config.json",
        ".codeium/windsurf/memories/global_rules.md",
        ".cline/data/settings/cline_mcp_settings.json",
        ".cline/rules/holdfast.md",
        f"{application_data}/Code/{ROO_STORAGE}",
        ".roo/rules/holdfast.md",
        f"{zed}/settings.json",
        f"{zed}/AGENTS.md",
        f"{application_data}/Code/User/mcp.json",
        ".copilot/instructions/holdfast.instructions.md",
    }


def test_a_project_has_what_its_editors_look_for_in_it(home: Path, project: Path) -> None:
    for name in EDITORS:
        install(name, where(home, project, PROJECT))
    assert files(home) == {}
    assert {path for path in made_in(project) if "/hooks/" not in path} == {
        ".windsurf/rules/holdfast.md",
        ".cline/rules/holdfast.md",
        ".roo/mcp.json",
        ".roo/rules/holdfast.md",
        ".zed/settings.json",
        "AGENTS.md",
        ".vscode/mcp.json",
        ".github/instructions/holdfast.instructions.md",
    }


def test_each_editor_gets_the_server_in_the_shape_it_reads(home: Path, project: Path) -> None:
    for name in EDITORS:
        install(name, where(home, project))
    code = home / ".config" / "Code"
    assert {
        "windsurf": read(home / ".codeium/windsurf/mcp_config.json"),
        "cline": read(home / ".cline/data/settings/cline_mcp_settings.json"),
        "roo": read(code / ROO_STORAGE),
        "zed": read(home / ".config/zed/settings.json"),
        "vscode": read(code / "User/mcp.json"),
    } == {
        "windsurf": {"mcpServers": {"holdfast": STDIO}},
        "cline": {"mcpServers": {"holdfast": STDIO}},
        "roo": {"mcpServers": {"holdfast": STDIO}},
        "zed": {"context_servers": {"holdfast": {**STDIO, "env": {}}}},
        "vscode": {"servers": {"holdfast": {"type": "stdio", **STDIO}}},
    }


def test_settings_with_comments_and_commas_at_the_end_keep_both(home: Path, project: Path) -> None:
    settings = home / ".config" / "zed" / "settings.json"
    settings.parent.mkdir(parents=True)
    mine = '// Zed\n{\n  "theme": "One Dark", // keep\n  "context_servers": {\n    "a": {"url": "o",},\n  },\n}\n'
    settings.write_text(mine)
    install("zed", where(home, project))
    text = settings.read_text()
    assert [line for line in mine.splitlines() if line not in text.splitlines()] == []
    assert read(settings)["context_servers"] == {"a": {"url": "o"}, "holdfast": {**STDIO, "env": {}}}
    settings.write_text(text.replace('"One Dark"', '"Ayu"'))
    uninstall("zed", where(home, project))
    assert settings.read_text() == mine.replace('"One Dark"', '"Ayu"')


def test_every_editor_that_runs_an_extension_gets_its_server(home: Path, project: Path) -> None:
    """Where it was used its storage is there; where it was only installed, its folder among the extensions."""
    (home / ".config" / "VSCodium" / ROO_STORAGE).parent.mkdir(parents=True)
    (home / ".cursor" / "extensions" / "rooveterinaryinc.roo-cline-3.50.0").mkdir(parents=True)
    install("roo", where(home, project))
    servers = {path for path in made_in(home) if path.endswith("mcp_settings.json")}
    assert servers == {f".config/{editor}/{ROO_STORAGE}" for editor in ("VSCodium", "Cursor")}


def test_every_build_of_vs_code_that_is_there_gets_its_server(home: Path, project: Path) -> None:
    for build in ("Code - Insiders", "VSCodium"):
        (home / ".config" / build / "User").mkdir(parents=True)
    install("vscode", where(home, project))
    servers = {path for path in made_in(home) if path.endswith("mcp.json")}
    assert servers == {f".config/{build}/User/mcp.json" for build in ("Code - Insiders", "VSCodium")}


@each(
    "name, sign",
    [
        ("windsurf", ".codeium/windsurf"),
        ("cline", ".cline"),
        ("cline", ".vscode/extensions/saoudrizwan.claude-dev-3.80.0"),
        ("roo", ".vscode-server/extensions/rooveterinaryinc.roo-cline-3.50.0"),
        ("roo", ".config/Windsurf/User/globalStorage/rooveterinaryinc.roo-cline"),
        ("zed", ".config/zed"),
        ("vscode", ".vscode"),
        ("vscode", ".config/VSCodium/User"),
    ],
    fresh=("home",),
)
def test_an_editor_is_found_by_what_it_leaves_in_the_home(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, name: str, sign: str
) -> None:
    monkeypatch.setenv("PATH", "")
    assert plan.agents_here(where(home, project)) == []
    (home / sign).mkdir(parents=True)
    assert name in plan.agents_here(where(home, project))


def test_a_folder_that_we_made_for_another_agent_is_no_sign_of_one(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VS Code reads its instructions in a folder of Copilot CLI's."""
    monkeypatch.setenv("PATH", "")
    install("vscode", where(home, project))
    assert plan.agents_here(where(home, project)) == ["vscode"]
    (home / ".copilot" / "config.json").touch()
    assert plan.agents_here(where(home, project)) == ["copilot", "vscode"]


@each(
    "platform, variable, folder",
    [("linux", "XDG_CONFIG_HOME", "zed"), ("win32", "APPDATA", "Zed")],
    fresh=("home", "tmp_path"),
)
def test_zed_is_found_where_its_settings_were_moved_to(
    home: Path,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    variable: str,
    folder: str,
) -> None:
    place = where(home, project)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path / "moved"))
    assert "zed" not in plan.agents_here(place)
    (tmp_path / "moved" / folder).mkdir(parents=True)
    assert "zed" in plan.agents_here(place)


def test_a_folder_that_two_agents_share_goes_with_the_last_of_them(home: Path, project: Path) -> None:
    for name in ("roo", "vscode"):
        install(name, where(home, project))
    uninstall("roo", where(home, project))
    assert (home / ".config" / "Code" / "User" / "mcp.json").exists()
    uninstall("vscode", where(home, project))
    assert files(home) == {}


def test_a_cline_that_was_moved_is_followed(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "moved"))
    monkeypatch.setenv("CLINE_DATA_DIR", str(tmp_path / "data"))
    install("cline", where(home, project))
    assert files(home) == {}
    assert (tmp_path / "moved" / "rules" / "holdfast.md").exists()
    assert (tmp_path / "data" / "settings" / "cline_mcp_settings.json").exists()


# ── instructions ─────────────────────────────────────────────────────────────────────────────────────────


def instruction_texts(home: Path, project: Path) -> dict[str, str]:
    """Install into every editor and return the instructions that each has then."""
    found = {}
    for name in EDITORS:
        place = where(home, project)
        install(name, place)
        [path] = [target.path for target in AGENTS[name].targets(place) if target.path.suffix == ".md"]
        found[name] = path.read_text()
    return found


def test_instructions_name_tools_that_there_are(home: Path, project: Path) -> None:
    for name, text in instruction_texts(home, project).items():
        named = {word.strip("`:.,") for word in text.split() if word.startswith("`memory_")}
        expected = {"memory_recall", "memory_search", "memory_get", "memory_add", "memory_delete"}
        assert named == expected | ({"memory_stats"} if name in ANYWHERE else set())
        assert named <= set(TOOLS)


def test_no_quote_is_promised_to_count_where_nothing_is_recorded(home: Path, project: Path) -> None:
    assert [
        name for name, text in instruction_texts(home, project).items() if "a quote proves nothing" in text
    ] == [*EDITORS]


def test_nothing_false_is_said_to_an_agent_with_hooks_that_reads_the_same_file(home: Path, project: Path) -> None:
    (project / "CLAUDE.md").write_text("Be brief.\n")
    install("zed", where(home, project, PROJECT))
    sentences = " ".join((project / "CLAUDE.md").read_text().split()).replace(":", ".").split(". ")
    conditional = [
        sentence for sentence in sentences if "shown to you" in sentence or "proves nothing" in sentence
    ]
    assert len(conditional) == 2
    assert all(sentence.startswith("Unless ") for sentence in conditional)


def test_what_an_editor_asks_for_stands_at_the_head_of_its_instructions(home: Path, project: Path) -> None:
    assert instruction_texts(home, project)["vscode"].startswith(
        "---\ndescription: When to use the project's memory\napplyTo: '**'\n---\n\n# Project memory"
    )
    install("windsurf", where(home, project, PROJECT))
    rule = project / ".windsurf" / "rules" / "holdfast.md"
    assert rule.read_text().startswith("---\ntrigger: always_on\n---\n\n# Project memory")


@each("mine", ["Be brief.\n", "Be brief.", "Be brief.\r\nUse tabs.\r\n", "# Mine\n\n\n"], fresh=("home",))
def test_a_section_stands_behind_what_others_wrote_and_goes_without_a_trace(
    home: Path, project: Path, mine: str
) -> None:
    rules = home / ".codeium" / "windsurf" / "memories" / "global_rules.md"
    rules.parent.mkdir(parents=True)
    rules.write_bytes(mine.encode())
    install("windsurf", where(home, project))
    text = rules.read_bytes().decode()
    assert text.startswith(mine)
    assert text.count("holdfast-tools:begin") == 1
    assert ("\r\n" in mine) == ("-->\r\n" in text)
    assert install("windsurf", where(home, project)) == []
    uninstall("windsurf", where(home, project))
    assert rules.read_bytes().decode() == mine


def test_a_section_goes_and_what_others_wrote_meanwhile_stays(home: Path, project: Path) -> None:
    rules = home / ".config" / "zed" / "AGENTS.md"
    rules.parent.mkdir(parents=True)
    rules.write_text("Be brief.\n")
    install("zed", where(home, project))
    rules.write_text(f"Mind the tests.\n{rules.read_text()}\nUse tabs.\n")
    uninstall("zed", where(home, project))
    assert rules.read_text() == "Mind the tests.\nBe brief.\n\nUse tabs.\n"


def test_half_a_section_is_left_to_its_owner(home: Path, project: Path) -> None:
    rules = home / ".config" / "zed" / "AGENTS.md"
    rules.parent.mkdir(parents=True)
    rules.write_text("Be brief.\n<!-- holdfast-tools:begin -->\nwhat was it\n")
    with pytest.raises(AgentFileUnusable, match="without its other half"):
        install("zed", where(home, project))
    assert not (home / ".config" / "zed" / "settings.json").exists()


def test_an_exported_section_and_ours_stand_side_by_side(home: Path, project: Path) -> None:
    """`holdfast export --into AGENTS.md` has marks of its own."""
    exported = "<!-- holdfast:begin (x) -->\n- **decision** Deploy on Tuesdays\n<!-- holdfast:end -->\n"
    (project / "AGENTS.md").write_text(exported)
    install("zed", where(home, project, PROJECT))
    assert (project / "AGENTS.md").read_text().startswith(exported)
    uninstall("zed", where(home, project, PROJECT))
    assert (project / "AGENTS.md").read_text() == exported


@each("name", [name for name in ZED_INSTRUCTIONS if name != "AGENTS.md"], fresh=("home", "project"))
def test_zed_reads_one_file_of_a_project_and_ours_hides_none(home: Path, project: Path, name: str) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("Be brief.\n")
    (project / "GEMINI.md").write_text("Be brief.\n")
    before = files(project)
    place = where(home, project, PROJECT)
    install("zed", place)
    assert SectionFile.is_in(project / name)
    assert not (project / "AGENTS.md").exists()
    (project / ".rules").touch()
    uninstall("zed", place)
    (project / ".rules").unlink() if name != ".rules" else None
    assert files(project) == before


def test_a_folder_of_rules_is_no_file_of_instructions(home: Path, project: Path) -> None:
    (project / ".clinerules").mkdir()
    install("zed", where(home, project, PROJECT))
    assert SectionFile.is_in(project / "AGENTS.md")


def test_what_was_written_is_json_where_an_editor_reads_nothing_else(home: Path, project: Path) -> None:
    """Cline and Roo Code read with JSON.parse: no comments, no comma too many."""
    for name in ("windsurf", "cline", "roo"):
        for change in plan.installing(AGENTS[name].targets(where(home, project))):
            if change.path.suffix == ".json":
                assert change.then is not None
                assert json.loads(change.then) == documents.loads(change.then.decode())
