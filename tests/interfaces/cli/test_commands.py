"""Remembering, finding, reading and forgetting on the command line: real runs, real store."""

import io
import re
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.main import run
from tests.interfaces.cli.shell import Shell, added_id


def test_what_a_person_adds_is_confirmed_and_found(shell: Shell) -> None:
    short = shell.add("Use tabs in Makefiles", "--kind", "preference", "--tags", "make, style")
    hits = shell.json("search", "tabs makefile")
    assert [(hit["id"][-8:], hit["kind"], hit["trust"], hit["status"]) for hit in hits] == [
        (short, "preference", "user", "confirmed")
    ]
    assert sorted(hits[0]) == [
        "created_at", "file", "id", "kind", "ref", "score", "session", "snippet", "source", "status",
        "thread", "title", "trust", "why",
    ]  # fmt: skip
    [memory] = shell.json("get", short)
    assert (memory["tags"], memory["source"], memory["reads"]) == (["make", "style"], "manual", 1)


def test_add_reports_what_became_of_the_text_as_json(shell: Shell) -> None:
    first = shell.json("add", "Prices are in cents")
    again = shell.json("remember", "prices are  in CENTS")
    assert first["created"]
    assert again == {**first, "created": False, "duplicate": True}


def test_text_comes_from_standard_input_for_a_dash(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Piped in\nwith a second line"))
    added_id(shell("save", "-"))
    assert "with a second line" in shell("get", shell("list").split()[0])


def test_the_three_layers_print_for_people(shell: Shell) -> None:
    first = shell.add("The queue is Redis", "--kind", "decision")
    second = shell.add("The cache is Memcached", "--kind", "decision", "--file", "src/cache.py")
    assert re.search(
        rf"{first}  decision  \d{{4}}-\d\d-\d\d  \d\.\d\d  user  The queue is Redis", shell("search", "queue")
    )
    assert re.search(rf"▸  {first}.*\n   {second}", shell("timeline", first))
    page = shell("get", second)
    assert page.startswith("The cache is Memcached\ndecision ")
    assert "files: src/cache.py" in page


def test_a_superseded_memory_leaves_the_list(shell: Shell) -> None:
    old = shell.add("The queue is Redis")
    shell("add", "The queue is Postgres", "--supersedes", old)
    assert "Redis" not in shell("list")
    assert "superseded by" in shell("get", old)


def test_forget_asks_for_yes_without_a_terminal_and_keeps_the_memory(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = shell.add("Not for long, this one")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    shell("forget", short, code=2)
    assert "--yes: is needed when there is no terminal" in shell.err
    assert shell("forget", short, "--yes") == "Forgotten: 1 memory.\n"
    assert shell.json("list") == []


def test_user_scope_is_seen_from_every_project(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Prefer small commits", "--user")
    other = tmp_path / "other"
    other.mkdir()
    shell.project = other
    assert "Prefer small commits" in shell("search", "commits")


def test_looking_makes_no_store(shell: Shell) -> None:
    assert shell.json("search", "anything") == []
    assert shell("list") == ""
    assert "Nothing remembered yet" in shell.err
    assert list(shell.project.iterdir()) == []


def test_init_says_where_and_twice_changes_nothing(shell: Shell) -> None:
    said = shell("init")
    assert said.rstrip().endswith("memory.db")
    before = (shell.project / ".holdfast" / "memory.db").read_bytes()
    assert shell("init") == said
    assert (shell.project / ".holdfast" / "memory.db").read_bytes() == before
    assert (shell.project / ".holdfast" / ".gitignore").read_text() == "*\n"


def test_stats_counts_for_people_and_programs(shell: Shell) -> None:
    shell("add", "One", "--kind", "fact")
    shell("add", "Two", "--kind", "fact", "--user")
    text = shell("stats")
    assert "1 current, 0 superseded, 0 expired" in text
    assert "by kind    fact 1" in text
    figures = shell.json("stats")
    assert figures["counts"]["by_kind"] == figures["user_counts"]["by_kind"] == {"fact": 1}


def test_the_demo_tells_its_story(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It works on a project of its own and leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
    assert run(["demo"]) == 0
    out = capsys.readouterr().out
    assert "$ holdfast search" in out
    assert "Forgotten: 1 memory." in out
    assert list(tmp_path.iterdir()) == []


def test_the_readme_shows_what_the_demo_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line for line, but for ids, days and the throw-away directory."""
    monkeypatch.setenv("COLUMNS", "100")
    assert run(["demo"]) == 0
    told = capsys.readouterr()
    readme = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
    shown = readme.split("<!-- capture:start -->")[1].split("<!-- capture:end -->")[0]
    lines = [timeless(line) for line in shown.splitlines() if line and not line.startswith("```")]
    printed = {timeless(line) for line in (told.out + told.err).splitlines()}
    assert len(lines) > 20
    assert [line for line in lines if line not in printed] == []


def timeless(line: str) -> str:
    """Return a line of output without what differs from run to run."""
    line = re.sub(r"\S*holdfast-demo-\w+/", "", line)
    return re.sub(r"\b[0-9a-f]{8}\b|\d{4}-\d\d-\d\d(T[\d:]+Z)?", "·", line)


def test_what_a_terminal_would_obey_is_not_printed(shell: Shell) -> None:
    """Stored text is data, on the screen too."""
    added_id(
        shell("add", "Looks \x1b]0;owned\x07harmless \x1b[2J\u202egnp.exe", "--title", "A \x1b[31mred\u200b title")
    )
    for out in (shell("list"), shell("search", "harmless"), shell("get", shell("list").split()[0])):
        assert not re.search("[\x07\x1b\u200b\u202e]", out)


def test_a_file_is_meant_from_where_one_stands(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """And found by every way of writing it."""
    (shell.project / "src").mkdir()
    (shell.project / "src" / "queue.py").write_text("pass")
    monkeypatch.chdir(shell.project / "src")
    shell("add", "About the queue module", "--file", "queue.py")
    memories = shell.json("list")
    assert isinstance(memories, list)
    assert (memories[0]["files"], list(memories[0]["file_hashes"])) == (["src/queue.py"], ["src/queue.py"])
    for way in ("src/queue.py", "./src/queue.py", "src/../src/queue.py", "queue.py", str(shell.project / "src")):
        assert "About the queue" in shell("search", "queue", "--file", way)


def test_search_goes_by_meaning_as_well_as_words(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first command after the vector is there; until then by words."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    shell.add("The interface is dark at night")
    assert shell.json("search", "black colour theme") == []
    [by_words] = shell.json("search", "interface")
    assert "cosine" not in by_words["why"]
    shell("reindex", "--pending")
    [by_meaning] = shell.json("search", "black colour theme")
    assert by_meaning["why"]["cosine"] > 0.3


def test_a_chance_word_is_not_taken_for_an_answer(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that find little of the question are checked against its meaning."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    shell("add", "Postgres holds the job queue")
    shell("add", "The demo store on Main Street closes at eight")
    shell("reindex", "--pending")
    weak = "where do we store background tasks"
    assert [hit["title"] for hit in shell.json("search", weak, "--mode", "keyword")] == [
        "The demo store on Main Street closes at eight"
    ]
    assert shell.json("search", weak) == []


def test_a_chance_word_stands_while_much_waits_for_its_meaning(
    shell: Shell, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search embeds a little of what waits; to load the model for that would only be slow."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": f"walrus number {n}"} for n in range(100)])
    [*hits] = shell.json("search", "walrus tusks carvings museum")
    assert len(hits) == 10
    with Holdfast.open(project) as memory:
        state = memory.stats().embedding
    assert state
    assert state.waiting["memory"] == 100
