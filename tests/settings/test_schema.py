"""Settings: where they come from, which wins, and what is wrong with them."""

import os
import re
from pathlib import Path

import pytest
from msgspec.structs import fields, replace

from holdfast.errors import ConfigError
from holdfast.settings import DEFAULTS
from holdfast.settings.load import Sources, load, load_anyway
from holdfast.settings.schema import (
    Config,
    FadingConfig,
    McpConfig,
    SearchConfig,
    ServerConfig,
    StoreConfig,
    settings,
)


class Places:
    """A user's file, a project's file and an environment to write into."""

    def __init__(self, place: Path) -> None:
        self.user_file = place / "user.toml"
        self.project_file = place / "project.toml"
        self.environment: dict[str, str] = {}

    def load(self, *, trusted: bool = True) -> Config:
        """Read them all."""
        return load(self._sources(trusted))

    def load_anyway(self, *, trusted: bool = True) -> Config:
        """Read what can be used of them."""
        return load_anyway(self._sources(trusted))

    def _sources(self, trusted: bool) -> Sources:
        return Sources(
            user_file=self.user_file,
            project_file=self.project_file,
            vouched=lambda text: trusted,
            environment=self.environment,
        )


@pytest.fixture
def sources(tmp_path: Path) -> Places:
    """Nothing set anywhere."""
    return Places(tmp_path)


def problem_of(sources: Places) -> str:
    """Return what is said about settings that cannot be used."""
    with pytest.raises(ConfigError) as caught:
        sources.load()
    return str(caught.value)


def test_with_nothing_set_everything_has_its_default(sources: Places) -> None:
    """No file is needed."""
    assert sources.load() == Config()
    assert sources.load(trusted=False) == Config()


def test_the_project_wins_over_the_user_and_the_environment_over_both(sources: Places) -> None:
    """Key by key."""
    sources.user_file.write_text('[store]\nsynchronous = "full"\nbusy_timeout_ms = 1\n[search]\nfloor = 0.5\n')
    assert sources.load().store == StoreConfig(synchronous="full", busy_timeout_ms=1)
    sources.project_file.write_text("[store]\nbusy_timeout_ms = 2\n[search]\nfloor = 0.25\n")
    sources.environment["HOLDFAST_SEARCH_FLOOR"] = "0"
    found = sources.load()
    assert (found.store, found.search.floor) == (StoreConfig(synchronous="full", busy_timeout_ms=2), 0.0)


VARIABLES = {
    "HOLDFAST_PROJECT_ID": "acme/shop",
    "HOLDFAST_STORE_PATH": "/srv/memory.db",
    "HOLDFAST_STORE_SYNCHRONOUS": "full",
    "HOLDFAST_STORE_BUSY_TIMEOUT_MS": "7",
    "HOLDFAST_STORE_URL": "postgresql://db/holdfast",
    "HOLDFAST_STORE_TENANT": "acme",
    "HOLDFAST_STORE_REPLICA_URL": "postgresql://copy/holdfast",
    "HOLDFAST_SEARCH_FLOOR": "0.5",
    "HOLDFAST_SEARCH_POSTINGS_BUDGET": "1000",
    "HOLDFAST_REDACT_ALLOW": "docs@example.com",
    "HOLDFAST_USER_NAME": "ada",
    "HOLDFAST_HOOKS_INJECT": "every",
    "HOLDFAST_HOOKS_SESSION_START": "no",
    "HOLDFAST_HOOKS_PROMPT": "no",
    "HOLDFAST_HOOKS_TOOL": "no",
    "HOLDFAST_HOOKS_ACT": "no",
    "HOLDFAST_HOOKS_FILES": "no",
    "HOLDFAST_HOOKS_REPLY": "no",
    "HOLDFAST_HOOKS_COMPACTION": "no",
    "HOLDFAST_HOOKS_SESSION_END": "no",
    "HOLDFAST_HOOKS_SIGN": "no",
    "HOLDFAST_PROJECT_ENABLED": "false",
    "HOLDFAST_CAPTURE_AUTO": "false",
    "HOLDFAST_CAPTURE_PRESET": "aggressive",
    "HOLDFAST_BACKUP_AUTO": "no",
    "HOLDFAST_BACKUP_KEEP": "7",
    "HOLDFAST_SEARCH_VECTOR_FLOOR": "0.4",
    "HOLDFAST_SEARCH_STATIC_FLOOR": "0.4",
    "HOLDFAST_SEARCH_FUSION": "rrf",
    "HOLDFAST_SEARCH_MEMORIES_VECTOR": "0.5",
    "HOLDFAST_SEARCH_TURNS_VECTOR": "0.5",
    "HOLDFAST_SEARCH_SESSIONS_VECTOR": "0.5",
    "HOLDFAST_EMBEDDING_MODEL": "hashing",
    "HOLDFAST_EMBEDDING_URL": "http://127.0.0.1:1/v1",
    "HOLDFAST_EMBEDDING_KEY_ENV": "A_KEY",
    "HOLDFAST_EMBEDDING_REMOTE_MODEL": "bge-m3",
    "HOLDFAST_EMBEDDING_DIMENSIONS": "1024",
    "HOLDFAST_EMBEDDING_TIMEOUT_MS": "500",
    "HOLDFAST_EMBEDDING_BATCH": "8",
    "HOLDFAST_EMBEDDING_BACKGROUND": "false",
    "HOLDFAST_VECTORS_HNSW_FROM": "1000",
    "HOLDFAST_BRIEF_CEILING": "900",
    "HOLDFAST_BRIEF_START_BUDGET": "900",
    "HOLDFAST_BRIEF_NUDGE": "no",
    "HOLDFAST_EXTRACTOR_URL": "http://127.0.0.1:1/v1",
    "HOLDFAST_EXTRACTOR_MODEL": "small",
    "HOLDFAST_EXTRACTOR_KEY_ENV": "A_KEY",
    "HOLDFAST_EXTRACTOR_KEY_FILE": "/srv/key",
    "HOLDFAST_EXTRACTOR_TIMEOUT_MS": "500",
    "HOLDFAST_EXTRACTOR_CALLS": "1",
    "HOLDFAST_BRIEF_RERANKER": "fastembed",
    "HOLDFAST_BRIEF_RERANKER_MODEL": "a/model",
    "HOLDFAST_INDEX_AUTO": "on",
    "HOLDFAST_INDEX_EXCLUDE": "drafts,docs/api.md",
    "HOLDFAST_SHARE_FOLDER": "team",
    "HOLDFAST_UPKEEP_AUTO": "no",
    "HOLDFAST_UPKEEP_MAX_BYTES": "2000000",
    "HOLDFAST_UPKEEP_MAX_MEMORIES": "100",
    "HOLDFAST_UPKEEP_PROMOTED": "50",
    "HOLDFAST_UPKEEP_TURN_DAYS": "30",
    "HOLDFAST_UPKEEP_MERGE": "no",
    "HOLDFAST_LOG_DAILY": "yes",
    "HOLDFAST_SERVER_HOST": "memory.example",
    "HOLDFAST_SERVER_HOSTS": "memory.example",
    "HOLDFAST_SERVER_ORIGINS": "https://memory.example",
    **{
        f"HOLDFAST_SERVER_{one.name.upper()}": "4096"
        for one in fields(ServerConfig)
        if one.name not in ("host", "hosts", "origins", "threads", "patience_s", "request_s")
    },
    **{f"HOLDFAST_SERVER_{name}": "9" for name in ("THREADS", "PATIENCE_S", "REQUEST_S")},
    **{f"HOLDFAST_FADING_{one.name.upper()}": "7" for one in fields(FadingConfig)},
    **{f"HOLDFAST_MCP_{one.name.upper()}": "no" for one in fields(McpConfig)},
}
"""Every setting, as the environment says it."""


def test_every_setting_can_be_given_by_its_variable(sources: Places) -> None:
    """Texts become what the setting is."""
    sources.environment = dict(VARIABLES)
    assert {one.variable for one in settings()} == set(sources.environment)
    found = sources.load()
    assert (found.project.id, found.user.name, found.search.postings_budget) == ("acme/shop", "ada", 1_000)
    assert found.store == StoreConfig(
        path="/srv/memory.db",
        synchronous="full",
        busy_timeout_ms=7,
        url="postgresql://db/holdfast",
        tenant="acme",
        replica_url="postgresql://copy/holdfast",
    )
    assert len(found.mcp.off) == 9


def test_an_empty_variable_sets_nothing_and_foreign_ones_are_nobodys_business(sources: Places) -> None:
    """As shells leave them."""
    sources.environment = {"HOLDFAST_STORE_PATH": "", "HOLDFAST_DATA_HOME": "/x", "PATH": "/bin"}
    assert sources.load() == Config()


WRONG_SETTINGS = (
    ("[store]\nsynchronous = 'off'", "store.synchronous: must be one of normal, full, not 'off'"),
    ("[store]\nsynchronous = 1", "store.synchronous: must be text, not 1"),
    ("[store]\npath = ''", "store.path: must be text, not ''"),
    ("[store]\npath = ['x']", "store.path: must be text, not ['x']"),
    ("[store]\nbusy_timeout_ms = -1", "store.busy_timeout_ms: must lie from 0 to 600000, not -1"),
    ("[store]\nbusy_timeout_ms = 1.5", "store.busy_timeout_ms: must be a whole number, not 1.5"),
    ("[store]\nbusy_timeout_ms = true", "store.busy_timeout_ms: must be a whole number, not True"),
    ("[search]\nfloor = 1.1", "search.floor: must lie from 0 to 0.5, not 1.1"),
    ("[search]\nfloor = nan", "search.floor: must lie from 0 to 0.5, not nan"),
    ("[search]\nfloor = 'much'", "search.floor: must be a number, not 'much'"),
    ("[search]\npostings_budget = 99", "search.postings_budget: must lie from 1000 to 1000000, not 99"),
    ("[project.id]\nx = 1", "project.id: must be text, not {'x': 1}"),
    ("[stroe]\npath = 'x'", "stroe.path: is not a setting; did you mean store.path?"),
    ("[search]\nflor = 1", "search.flor: is not a setting; did you mean search.floor?"),
    ("zzz = 1", "zzz: is not a setting; `holdfast help settings` lists them"),
)


def test_a_wrong_setting_is_named_with_its_file(sources: Places) -> None:
    """Key, problem, file and line; whichever file it stands in."""
    wrong = []
    for file in (sources.user_file, sources.project_file):
        for text, message in WRONG_SETTINGS:
            file.write_text(text)
            line = 1 if text.startswith(("zzz", "[project.id]")) else 2
            told = problem_of(sources)
            if not told.startswith(f"{message} (in {file}, line {line}). Correct it there"):
                wrong.append((text, told))
        file.unlink()
    assert wrong == []


WRONG_VARIABLES = (
    ("HOLDFAST_STORE_SYNCHRONOUS", "off", "store.synchronous: must be one of normal, full, not 'off'"),
    ("HOLDFAST_STORE_BUSY_TIMEOUT_MS", "soon", "store.busy_timeout_ms: must be a whole number, not 'soon'"),
    ("HOLDFAST_STORE_BUSY_TIMEOUT_MS", "1.5", "store.busy_timeout_ms: must be a whole number, not '1.5'"),
    ("HOLDFAST_SEARCH_FLOOR", "2", "search.floor: must lie from 0 to 0.5, not '2'"),
    ("HOLDFAST_USER_NAME", "  ", "user.name: must be text, not ' '"),
)


def test_a_wrong_variable_is_named(sources: Places) -> None:
    """With the key it would have set."""
    wrong = []
    for variable, value, message in WRONG_VARIABLES:
        sources.environment = {variable: value}
        told = problem_of(sources)
        if told != f"{message} (in the environment variable {variable})":
            wrong.append((value, told))
    assert wrong == []


MALFORMED = (
    (b"[store", r"is not valid TOML: .*", "line 1"),
    (b"[user]\nname = 'ada'\n= 1", r"is not valid TOML: .*", "line 3, column 1"),
    (b"[user]\nname = ", r"is not valid TOML: .*", "line 2"),
    (b"[store]\npath = \xff", "is not text in UTF-8", "line 2"),
)


def test_a_malformed_file_is_named_with_its_line(sources: Places) -> None:
    """With what the reader says about it, and what to do."""
    wrong = []
    for content, problem, place in MALFORMED:
        sources.user_file.write_bytes(content)
        where = re.escape(f"(in {sources.user_file}, {place}). Correct it there: ")
        told = problem_of(sources)
        if not re.match(f"config: {problem} {where}", told):
            wrong.append((content, told))
    assert wrong == []


def test_what_takes_a_wrong_key_out_is_named_for_its_file(sources: Places) -> None:
    for file, command in (
        (sources.user_file, "`holdfast config unset search.flor --user`."),
        (sources.project_file, "`holdfast config unset search.flor`."),
    ):
        file.write_text("[search]\nflor = 1\n")
        with pytest.raises(ConfigError) as caught:
            sources.load()
        assert str(caught.value).endswith(command)
        file.unlink()


def test_what_can_be_used_is_used_by_those_who_look_for_what_is_wrong(sources: Places) -> None:
    sources.user_file.write_text("[search]\nfloor = 3\nfusion = 'rrf'\n[stroe]\npath = 'x'\n")
    sources.environment["HOLDFAST_BACKUP_KEEP"] = "many"
    config = sources.load_anyway()
    assert config.search == SearchConfig(fusion="rrf")
    assert [problem.partition(" (in ")[0] for problem in config.problems] == [
        "search.floor: must lie from 0 to 0.5, not 3",
        "stroe.path: is not a setting; did you mean store.path?",
        "backup.keep: must be a whole number, not 'many'",
    ]
    assert f"(in {sources.user_file}, line 5)" in config.problems[1]


def test_of_many_faults_the_first_few_are_told(sources: Places) -> None:
    """A file may come with a clone, and be made to take long."""
    sources.project_file.write_text("[zz]\n" + "".join(f"key{number} = 1\n" for number in range(2_000)))
    doubts = sources.load_anyway(trusted=False).doubts
    assert [doubt.partition(":")[0] for doubt in doubts] == [
        "zz.key0",
        "zz.key1",
        "zz.key2",
        "and 1,997 more of that sort",
    ]


def test_a_file_nobody_vouched_for_is_doubted_with_its_line_and_stops_nobody(sources: Places) -> None:
    sources.project_file.write_text("[search]\nfloor = 3\n")
    assert sources.load(trusted=False).ignored == ("search.floor",)
    config = sources.load_anyway(trusted=False)
    assert config.problems == ()
    assert f"(in {sources.project_file}, line 2)" in config.doubts[0]


def test_a_variable_one_slip_away_from_ours_is_doubted(sources: Places) -> None:
    """Others of our prefix are nobody's business, and so are those that a setting names."""
    sources.environment = {
        "HOLDFAST_SERCH_FLOOR": "0.2",
        "HOLDFAST_DISABEL": "1",
        "HOLDFAST_DEBUG": "1",
        "HOLDFAST_ELSEWHERE": "1",
        "HOLDFAST_EMBEDDING_KEY": "x",
        "HOLDFAST_EMBEDDING_KEY_ENV": "HOLDFAST_EMBEDDING_KEYS",
        "HOLDFAST_EMBEDDING_KEYS": "x",
    }
    assert sources.load_anyway().doubts == (
        "HOLDFAST_SERCH_FLOOR: sets nothing; did you mean HOLDFAST_SEARCH_FLOOR? (in the environment)",
        "HOLDFAST_DISABEL: sets nothing; did you mean HOLDFAST_DISABLE? (in the environment)",
    )
    assert sources.load().search == SearchConfig()


def test_a_directory_in_place_of_a_file_is_named(sources: Places) -> None:
    """It cannot be read."""
    sources.user_file.mkdir()
    with pytest.raises(ConfigError, match=r"^config: Is a directory \(in "):
        sources.load()


def test_an_untrusted_project_is_obeyed_in_harmless_keys_and_the_rest_is_reported(sources: Places) -> None:
    """It may come with a cloned repository."""
    sources.user_file.write_text('[user]\nname = "ada"\n')
    sources.project_file.write_text(
        '[store]\npath = "/elsewhere"\nsynchronous = "normal"\n[project]\nid = "theirs"\n'
        '[user]\nname = "eve"\n[search]\nfloor = 0.2\n'
    )
    found = sources.load(trusted=False)
    assert found.ignored == ("project.id", "store.path", "store.synchronous", "user.name")
    assert (found.store, found.search.floor) == (StoreConfig(), 0.2)
    assert (found.project.id, found.user.name) == (None, "ada")
    trusted = sources.load()
    assert (trusted.ignored, trusted.project.id, trusted.store.path) == ((), "theirs", "/elsewhere")


HOSTILE = (
    ("[store", ("config",)),
    ("[search]\nfloor = 7\npostings_budget = 5_000", ("search.floor",)),
    ("[newer]\nkey = 1\n[search]\npostings_budget = 5_000", ("newer.key",)),
    ("loose = 1", ("loose",)),
    ("x = " + "[" * 20_000, ("config",)),
    ("[search]\nfloor = 1" + "0" * 400, ("search.floor",)),
    ("#" * 70_000, ("config",)),
)


def test_an_untrusted_project_cannot_stop_anything(sources: Places) -> None:
    """What is wrong in it is reported, not raised."""
    wrong = []
    for text, ignored in HOSTILE:
        sources.project_file.write_text(text)
        expected = Config(ignored=ignored)
        if "postings_budget" in text:
            expected = replace(expected, search=SearchConfig(postings_budget=5_000))
        if sources.load(trusted=False) != expected:
            wrong.append(text[:40])
    assert wrong == []


def test_only_what_can_do_no_harm_is_harmless() -> None:
    """Nothing that names a person, a project or a place."""
    assert {one.key for one in settings() if one.harmless} == {
        "brief.ceiling",
        "brief.nudge",
        "brief.start_budget",
        "capture.auto",
        "hooks.act",
        "hooks.compaction",
        "hooks.files",
        "hooks.inject",
        "hooks.prompt",
        "hooks.reply",
        "hooks.session_end",
        "hooks.session_start",
        "hooks.sign",
        "hooks.tool",
        "project.enabled",
        "search.floor",
        "search.fusion",
        "search.memories_vector",
        "search.postings_budget",
        "search.sessions_vector",
        "search.turns_vector",
        "search.vector_floor",
        "search.static_floor",
        "vectors.hnsw_from",
    }
    assert all(one.doc.endswith(".") for one in settings())


def test_a_project_cannot_hang_or_flood_a_command_with_a_link_or_a_pipe(sources: Places) -> None:
    """What is no regular file is not read."""
    sources.project_file.symlink_to("/dev/zero")
    assert sources.load(trusted=False).ignored == ("config",)
    sources.project_file.unlink()
    os.mkfifo(sources.project_file)
    assert sources.load(trusted=False).ignored == ("config",)


def test_what_somebody_switched_off_no_repository_switches_on(sources: Places) -> None:
    sources.user_file.write_text('[hooks]\ninject = "off"\ntool = false\n')
    sources.project_file.write_text('[hooks]\ninject = "every"\ntool = true\nreply = false\n')
    found = sources.load(trusted=False).hooks
    assert (found.inject, found.tool, found.reply, found.prompt) == ("off", False, False, True)


def test_hooks_know_the_defaults_of_every_setting_they_read() -> None:
    """They have a list of their own, because this module takes longer to load than they have."""
    known = {one.key: one.default for one in settings()}
    assert {key: known[key] for key in DEFAULTS} == DEFAULTS


def test_the_users_own_file_may_be_a_link(sources: Places, tmp_path: Path) -> None:
    """As those who keep their settings in a repository have it."""
    (tmp_path / "dotfiles.toml").write_text("[search]\nfloor = 0.3\n")
    sources.user_file.symlink_to(tmp_path / "dotfiles.toml")
    assert sources.load().search.floor == 0.3
