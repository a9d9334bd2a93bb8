"""No secret and nothing private reaches the disk, by whatever way it comes."""

import contextlib
import json
from pathlib import Path

import pytest

from holdfast import Holdfast, HoldfastError
from holdfast.capture.text.clean import Cleaner
from holdfast.errors import NotRedacted
from holdfast.interfaces.cli.main import run
from holdfast.service.parts import Settings
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.secrets import ALL, CARD, GITHUB, MAIL, PRIVATE, TOKENS, WORD

PLANTED = f'see {" ".join(TOKENS)} or {MAIL}, card {CARD}, password = "{WORD}" <private>{PRIVATE}</private>'
LABEL = f"{GITHUB} {MAIL}"


def everything(tmp_path: Path) -> bytes:
    """Return every byte below a test's directory: stores, logs, registry, whatever there is."""
    return b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def planted_in(tmp_path: Path) -> list[str]:
    """Return what was planted and is on disk."""
    text = everything(tmp_path)
    return [word for word in (*ALL, PRIVATE) if word.encode() in text or word.lower().encode() in text.lower()]


def test_planted_in_every_field_of_the_python_api_nothing_is_on_disk(project: Path, tmp_path: Path) -> None:
    """Looked for while the store is open (the log) and after."""
    with Holdfast.open(project, project=f"shop {GITHUB}") as memory:
        added = memory.add(
            PLANTED,
            title=PLANTED,
            context=PLANTED,
            tags=[LABEL, f"<private>{PRIVATE}"],
            files=[f"keys/{GITHUB}.pem", str(project / GITHUB)],
            source=LABEL,
            metadata={PLANTED: [PLANTED, {"password": WORD, "card": int(CARD.replace(" ", ""))}]},
        )
        memory.add(PLANTED, scope="user", tags=[LABEL])
        memory.add_many([{"content": f"{PLANTED} {number}", "source": LABEL} for number in range(3)])
        memory.update(
            str(added.id), content=f"New {PLANTED}", title=PLANTED, context=PLANTED, tags=[LABEL], files=[LABEL],
            metadata={LABEL: PLANTED},
        )  # fmt: skip
        memory.search(PLANTED)
        memory.search(f"see {GITHUB}", contains=GITHUB, file=GITHUB, tags=[GITHUB])
        with memory.start_session(agent=LABEL, ref=LABEL) as session:
            session.record("user", PLANTED, ref=LABEL)
            session.record(f"role {GITHUB}", PLANTED, tool=LABEL, files=[f"{GITHUB}.txt"])
            memory.add(f"In the session {PLANTED}", session=session.id)
        memory.flush()
        assert planted_in(tmp_path) == []
    assert planted_in(tmp_path) == []
    assert b"REDACTED:github-token" in everything(tmp_path)


def test_planted_through_the_command_line_nothing_is_on_disk(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arguments, options, standard input, queries; and what is printed back."""
    import io

    place = ["--project", str(project)]
    add = ["add", PLANTED, "--title", PLANTED, "--context", PLANTED, "--tags", LABEL, "--file", f"{GITHUB}.py"]
    assert run([*add, "--source", LABEL, "--metadata", json.dumps({LABEL: PLANTED}), *place]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(f"Piped {PLANTED}"))
    assert run(["remember", "-", "--user", *place]) == 0
    assert run(["search", f"see {GITHUB}", *place]) == 0
    assert run(["forget", "--source", LABEL, "--yes", *place]) == 0
    assert planted_in(tmp_path) == []
    out, err = capsys.readouterr()
    assert [word for word in (*ALL, PRIVATE) if word in out + err] == []


@pytest.mark.parametrize(
    "parts",
    [
        [f"{GITHUB[:20]}\n{GITHUB[20:]}"],
        [f'"{GITHUB[:20]}" + "{GITHUB[20:]}"'],
        [f"{GITHUB[:12]}\u200b{GITHUB[12:]}"],
        [f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{WORD}{WORD}\n{WORD}{WORD}{WORD}\n"],
    ],
)
def test_a_secret_split_across_lines_or_cut_off_is_found(project: Path, tmp_path: Path, parts: list[str]) -> None:
    with Holdfast.open(project) as memory:
        memory.add(f"Use this one: {parts[0]}")
        memory.start_session().record("user", f"Use this one: {parts[0]}")
    text = everything(tmp_path)
    assert GITHUB[20:].encode() not in text
    assert GITHUB[:20].encode() not in text
    assert (WORD * 2).encode() not in text


BLOCKS = [
    f"before <private>{PRIVATE}</private> after",
    f"before <PRIVATE>{PRIVATE}</Private > after",
    f"before <private>a <private>b</private> {PRIVATE}</private> after",
    f"before <private>{PRIVATE}",
    f"{PRIVATE}</private> after",
    f"before <private reason='x'>{PRIVATE}</private>",
    f"before <priv\u200bate>{PRIVATE}</private>",
    f"```\n<private>{PRIVATE}</private>\n```",
]


@pytest.mark.parametrize("text", BLOCKS)
def test_a_private_block_is_never_on_disk(project: Path, tmp_path: Path, text: str) -> None:
    """Nested, unclosed, in capitals, in code; in every field."""
    with Holdfast.open(project) as memory:
        memory.add(f"plain {text}", title=text, context=text, tags=[text], metadata={"k": text})
        memory.start_session().record("user", text)
        memory.search(f"plain {text}")
    assert planted_in(tmp_path) == []


def test_a_block_left_open_swallows_the_turns_that_follow(project: Path, tmp_path: Path) -> None:
    """Until it is closed, across processes too; a tool's output can neither open nor close one."""
    with Holdfast.open(project) as memory:
        session = memory.start_session(ref="s")
        session.record("user", f"Mind this. <private>{PRIVATE}")
        session.record("assistant", f"I see, {PRIVATE}", ref="m2")
        session.record("tool", f"output </private> {PRIVATE}", tool="bash")
        session.record("assistant", "<private> again", ref="m2")
        assert session.session.private_depth == 1
    with Holdfast.open(project) as memory:
        session = memory.start_session(ref="s")
        session.record("user", f"more {PRIVATE}")
        session.record("user", f"{PRIVATE}</private> and back")
        session.record("tool", "<html><private>", tool="fetch")
        session.record("assistant", "Heard.")
        texts = [turn.text for turn in session.turns()]
        assert session.session.private_depth == 0
    blank = "[private]"
    assert texts == ["Mind this.", blank, blank, blank, "and back", "<html>", "Heard."]
    assert planted_in(tmp_path) == []


def test_what_is_private_as_a_whole_is_rejected_as_a_value(project: Path) -> None:
    with Holdfast.open(project) as memory:
        added = memory.add(f"<private>{PRIVATE}</private>")
        many = memory.add_many([{"content": "fine"}, {"content": f"<private>{PRIVATE}"}, {"content": "too"}])
        assert (added.id, added.created, added.rejected) == (None, False, "private")
        assert [one.rejected for one in many] == [None, "private", None]
        assert [one.content for one in memory.list()] == ["too", "fine"]


def broken_service(project: Path) -> Service:
    """Open a service whose redactor fails on every text but plain words."""

    def broken(text: str, allow: tuple[str, ...]) -> tuple[str, tuple[tuple[str, int], ...]]:
        raise ValueError(text)

    service = open_service(project, actor="python", clock=FakeClock(), upkeep=False)
    service._settings = service._parts.settings = Settings(cleaner=Cleaner(redactor=broken))
    return service


def test_when_the_redactor_fails_nothing_is_stored(project: Path, tmp_path: Path) -> None:
    """Not the entry, not the turn, not the query; and reading goes on."""
    with Holdfast.open(project) as good:
        kept = good.add("The walrus sleeps on the ice", kind="fact")
    memory = Holdfast(broken_service(project))
    with pytest.raises(NotRedacted):
        memory.add(f"Zanzibar has the {WORD} and 12 more", kind="fact")
    with pytest.raises(NotRedacted):
        memory.add_many([{"content": "plain"}, {"content": f"Zanzibar has the {WORD}"}])
    with pytest.raises(NotRedacted):
        memory.update(str(kept.id), context=f"Zanzibar {WORD}")
    session = memory.start_session("codex")
    with pytest.raises(NotRedacted):
        session.record("user", f"Zanzibar {WORD}")
    assert [hit.id for hit in memory.search("walrus on Zanzibar")] == [kept.id]
    memory.close()
    assert b"anzibar" not in everything(tmp_path)
    with Holdfast.open(project) as after:
        assert [one.id for one in after.list()] == [kept.id]


def test_no_error_repeats_a_secret(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors are logged by whoever catches them: message, facts and field."""
    with Holdfast.open(project) as memory:
        some = memory.add("Something").id or ""
        calls: list[object] = [
            lambda: memory.add("x", kind=GITHUB),
            lambda: memory.add("x", trust=GITHUB),
            lambda: memory.add("x", scope=GITHUB),
            lambda: memory.add("x", importance=GITHUB),  # type: ignore[arg-type]  # a mistake
            lambda: memory.add("x", expires=GITHUB),
            lambda: memory.add("x", at=GITHUB),
            lambda: memory.add("x", session=GITHUB),
            lambda: memory.add("x", supersedes=GITHUB),
            lambda: memory.add("x", tags=[GITHUB * 9]),
            lambda: memory.add("x", source=GITHUB * 9),
            lambda: memory.add("x", metadata={"k": {GITHUB}}),
            lambda: memory.add_many([{"content": "x", GITHUB: 1}]),
            lambda: memory.add_many([{"content": "x", "kind": GITHUB}]),
            lambda: memory.update(some, **{GITHUB: 1}),
            lambda: memory.update(GITHUB, title="x"),
            lambda: memory.forget(GITHUB),
            lambda: memory.pin(GITHUB),
            lambda: memory.timeline(GITHUB),
            lambda: memory.history(GITHUB),
            lambda: memory.supersede(some, GITHUB),
            lambda: memory.reinstate(GITHUB),
            lambda: memory.resolve(GITHUB, keep=GITHUB),
            lambda: memory.forget_where(session=GITHUB),
            lambda: memory.search("x", mode=GITHUB),
            lambda: memory.search("x", within=GITHUB),
            lambda: memory.search("x", kinds=[GITHUB]),
            lambda: memory.search("x", status=GITHUB),
            lambda: memory.search("x", since=GITHUB),
            lambda: memory.search("x", limit=GITHUB),  # type: ignore[arg-type]  # a mistake
            lambda: memory.start_session(agent="a", at=GITHUB),
            lambda: memory.start_session().record("user", "x", at=GITHUB),
        ]
        for number, call in enumerate(calls):
            with pytest.raises(HoldfastError) as caught:
                call()  # type: ignore[operator]  # a list of functions
            error = caught.value
            assert GITHUB not in f"{error} {error!r} {error.facts} {error.__cause__!r}", number
    for arguments in (["get", GITHUB], ["add", "x", "--importance", GITHUB], [GITHUB], ["list", f"--{GITHUB}"]):
        assert run([*arguments, "--project", str(project)]) != 0
    assert GITHUB not in "".join(capsys.readouterr())


def test_a_setting_that_cannot_be_used_does_not_repeat_a_secret(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_SEARCH_FLOOR", GITHUB)
    with pytest.raises(HoldfastError) as caught, contextlib.closing(Holdfast.open(project)):
        pass
    assert GITHUB not in str(caught.value)
