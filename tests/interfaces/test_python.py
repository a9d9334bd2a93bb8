"""The Python API as its user has it: remember, change, stand, forget."""

import hashlib
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from holdfast import Added, Holdfast, HoldfastError, InvalidInput, Memory, UnknownId
from holdfast.errors import PinLimitReached, SameContent
from holdfast.model.limits import DAY_MS
from tests.conftest import FakeClock


def kept(memory: Holdfast, added: Added) -> Memory:
    """Return what became of an add, without counting a read."""
    return next(one for one in memory.list(limit=1_000) if one.id == added.id)


def test_what_is_added_is_there_with_all_it_was_given(memory: Holdfast, project: Path, clock: FakeClock) -> None:
    """And with what it was not given filled in."""
    (project / "app.py").write_bytes(b"x")
    added = memory.add(
        "Use tabs. Always.\r\n",
        kind="decision",
        context="review",
        tags=["style", "style", " go "],
        files=["./app.py", str(project.resolve() / "app.py"), "gone.py"],
        importance=1,
        confidence=0,
        source="chat",
        trust="user",
        expires="30d",
        metadata={"pr": 7},
        at="2026-01-01",
    )
    assert added == Added(id=added.id, created=True)
    found = kept(memory, added)
    assert found == Memory(
        id=added.id or "",
        project=str(project.resolve()),
        tenant="local",
        user=found.user,
        kind="decision",
        title="Use tabs",
        content="Use tabs. Always.",
        context="review",
        tags=("style", "go"),
        files=("app.py", "gone.py"),
        file_hashes={"app.py": hashlib.sha256(b"x").hexdigest()[:16]},
        importance=1.0,
        confidence=0.0,
        status="confirmed",
        trust="user",
        sources=("chat",),
        created_at=1_767_225_600_000,
        updated_at=clock.now(),
        renewed_at=clock.now(),
        valid_from=1_767_225_600_000,
        expires=clock.now() + 30 * DAY_MS,
        fingerprint=found.fingerprint,
        metadata={"pr": 7},
    )


def test_what_is_added_plainly_has_the_defaults(memory: Holdfast, clock: FakeClock) -> None:
    """An observation of an agent, half important, a candidate."""
    found = kept(memory, memory.add("The build is slow"))
    assert (found.kind, found.importance, found.confidence, found.status, found.trust, found.source) == (
        "observation", 0.5, 1.0, "candidate", "agent", "manual",
    )  # fmt: skip
    assert found.created_at == found.valid_from == clock.now()


def test_a_memory_knows_the_branch_and_commit_it_was_made_on(project: Path) -> None:
    """As git has them at that moment."""
    run = ["git", "-c", "user.name=Ada", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    for arguments in (["init"], ["commit", "--allow-empty", "-m", "x"], ["switch", "-c", "feature"]):
        subprocess.run([*run, *arguments], cwd=project, check=True, capture_output=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True)
    with Holdfast.open(project) as memory:
        found = kept(memory, memory.add("on a branch"))
    assert (found.branch, found.commit) == ("feature", commit.stdout.strip())


def test_a_duplicate_is_no_error_and_strengthens_the_entry(memory: Holdfast, clock: FakeClock) -> None:
    """Whatever its case and white space."""
    first = memory.add("Use tabs", tags=["a"], source="chat")
    clock.advance(5)
    again = memory.add("  use\n TABS ", tags=["b"], source="review", title="other")
    assert again == Added(id=first.id, duplicate=True)
    found = kept(memory, first)
    assert (found.importance, found.tags, found.sources, found.title) == (
        0.6,
        ("a", "b"),
        ("chat", "review"),
        "Use tabs",
    )
    assert (found.created_at, found.updated_at) == (clock.now() - 5, clock.now())
    assert len(memory.list()) == 1


def test_many_are_added_in_order_and_all_or_none(memory: Holdfast) -> None:
    """A bad item is named by its place and nothing is written."""
    added = memory.add_many([{"content": "one"}, {"content": "two", "kind": "fact"}, {"content": "ONE"}])
    assert [(one.created, one.duplicate) for one in added] == [(True, False), (True, False), (False, True)]
    assert added[0].id == added[2].id
    assert memory.add_many([]) == []
    items = [{"content": f"more {number}"} for number in range(700)]
    with pytest.raises(InvalidInput, match=r"^items\[700\]\.kind: 'zzz' is not a kind of memory") as caught:
        memory.add_many([*items, {"content": "bad", "kind": "zzz"}])
    assert caught.value.field == "items[700].kind"
    assert len(memory.list(limit=1_000)) == 2


def test_a_memory_is_read_whole_in_the_order_asked_and_unknown_ids_are_left_out(memory: Holdfast) -> None:
    """By full id, by short id, one or several."""
    one, two = (memory.add(text).id or "" for text in ("one", "two"))
    short = two.replace("-", "")[-10:].upper()
    assert [found.content for found in memory.get([f"#{short}", "0" * 8, one, "nonsense"])] == ["two", "one"]
    assert [found.content for found in memory.get(one)] == ["one"]
    assert memory.get([]) == []


def test_a_get_is_a_read_and_nothing_else_is(memory: Holdfast, clock: FakeClock) -> None:
    """Search, list, timeline and history only look."""
    added = memory.add("the walrus sleeps")
    memory.search("walrus")
    memory.timeline(added.id or "")
    memory.history(added.id or "")
    assert (kept(memory, added).reads, kept(memory, added).accessed_at) == (0, None)
    clock.advance(7)
    assert memory.get(added.id or "")[0].reads == 1
    assert (kept(memory, added).reads, kept(memory, added).accessed_at) == (1, clock.now())


def test_a_read_confirms_a_candidate_once_a_day_has_passed(memory: Holdfast, clock: FakeClock) -> None:
    """Of an agent; what came from a tool waits for a person."""
    agent, tool = memory.add("from the agent"), memory.add("from a tool", trust="tool")
    clock.advance(DAY_MS - 1)
    assert [found.status for found in memory.get([agent.id or "", tool.id or ""])] == ["candidate"] * 2
    clock.advance(1)
    assert [found.status for found in memory.get([agent.id or "", tool.id or ""])] == ["confirmed", "candidate"]
    assert kept(memory, agent).status == "confirmed"


def test_a_confirmation_counts_as_a_read_and_renews(memory: Holdfast, clock: FakeClock) -> None:
    """Trust stays what it was."""
    added = memory.add("the walrus sleeps", trust="tool")
    clock.advance(9)
    confirmed = memory.confirm(added.id or "")
    assert (confirmed.status, confirmed.trust, confirmed.reads) == ("confirmed", "tool", 1)
    assert confirmed.renewed_at == confirmed.accessed_at == clock.now()
    assert kept(memory, added) == confirmed


def test_an_update_changes_what_is_given_and_the_index_follows(memory: Holdfast, clock: FakeClock) -> None:
    """A title that was made from the content follows it too."""
    added = memory.add("The walrus sleeps. Deeply.", tags=["a"], importance=0.2)
    before = kept(memory, added)
    clock.advance(3)
    after = memory.update(
        added.id or "", content="The ocelot hunts. Fast.", tags=("b",), expires="1d", metadata={"k": 1}
    )
    assert after == replace(
        before,
        content="The ocelot hunts. Fast.",
        title="The ocelot hunts",
        tags=("b",),
        expires=clock.now() + DAY_MS,
        metadata={"k": 1},
        fingerprint=after.fingerprint,
        updated_at=clock.now(),
    )
    assert kept(memory, added) == after
    assert [len(memory.search(word)) for word in ("walrus", "ocelot")] == [0, 1]


def test_a_title_of_its_own_stays_when_the_content_changes(memory: Holdfast) -> None:
    """Until it is changed itself."""
    added = memory.add("The walrus sleeps", title="Animals")
    assert memory.update(added.id or "", content="The ocelot hunts").title == "Animals"
    assert memory.update(added.id or "", title="Cats").title == "Cats"


def test_an_expiry_is_taken_back_with_never(memory: Holdfast) -> None:
    """None leaves it as it is."""
    added = memory.add("The freeze holds", expires="1d")
    assert memory.update(added.id or "", importance=0.9).expires is not None
    assert memory.update(added.id or "", expires="never").expires is None


def test_an_update_to_what_another_says_is_refused(memory: Holdfast) -> None:
    """With its id, and nothing is changed."""
    one, two = memory.add("one"), memory.add("two")
    with pytest.raises(SameContent, match=rf"^content: memory {one.id} already says this"):
        memory.update(two.id or "", content="ONE")
    assert kept(memory, two).content == "two"
    assert memory.update(one.id or "", content="One").content == "One"


def test_five_memories_can_be_pinned_and_a_sixth_is_refused(memory: Holdfast) -> None:
    """Pinning one again is nothing new; unpinning makes room."""
    ids = [memory.add(f"rule {number}").id or "" for number in range(6)]
    assert [memory.pin(one).status for one in ids[:5]] == ["pinned"] * 5
    assert memory.pin(ids[0]).status == "pinned"
    with pytest.raises(PinLimitReached, match="5 memories are pinned already"):
        memory.pin(ids[5])
    assert memory.unpin(ids[0]).status == "confirmed"
    assert memory.unpin(ids[5]).status == "candidate"
    assert memory.pin(ids[5]).status == "pinned"
    assert memory.confirm(ids[5]).status == "pinned"


def test_a_superseded_memory_is_history(memory: Holdfast, clock: FakeClock) -> None:
    """Gone from search and lists, there in get and history, from either end."""
    old = memory.add("The queue runs on Redis")
    clock.advance(10)
    new = memory.add("The queue runs on Postgres", supersedes=old.id)
    assert [hit.id for hit in memory.search("queue")] == [new.id]
    assert [found.id for found in memory.list()] == [new.id]
    [retired] = memory.get(old.id or "")
    assert (retired.superseded_by, retired.valid_until) == (new.id, clock.now())
    for end in (old.id, new.id):
        assert [found.id for found in memory.history(end or "")] == [old.id, new.id]
    clock.advance(10)
    back = memory.add("The queue runs on Redis", supersedes=new.id)
    assert (back.created, back.id != old.id) == (True, True)
    assert [found.id for found in memory.history(old.id or "")] == [old.id, new.id, back.id]


def test_supersede_ties_two_that_are_there(memory: Holdfast) -> None:
    """Not in a circle, not twice, not with itself."""
    one, two, three = (memory.add(text).id or "" for text in ("one", "two", "three"))
    assert memory.supersede(one, two).superseded_by == two
    for old, new in ((one, three), (two, two), (two, one)):
        with pytest.raises(InvalidInput):
            memory.supersede(old, new)
    assert [found.id for found in memory.list()] == [three, two]


def test_what_is_forgotten_is_gone_and_comes_back_only_by_a_person(memory: Holdfast) -> None:
    """Its words go from the turns as well."""
    text = "The staging password is walrus-ocelot"
    session = memory.start_session()
    session.record("user", f"Note: {text}!")
    added = memory.add(text)
    gone = memory.forget(added.id or "")
    assert (gone.ids, gone.masked_turns, gone.pending) == ((added.id,), 1, False)
    assert memory.get(added.id or "") == []
    assert memory.search("walrus", within="all") == []
    assert session.turns()[0].text == "Note: [forgotten]!"
    assert memory.add(text.upper()) == Added(id=None, rejected="forgotten")
    assert memory.list() == []
    again = memory.add(text, trust="user")
    assert again.created
    assert memory.add(text).duplicate


def test_forgetting_what_took_a_place_leaves_history_history(memory: Holdfast) -> None:
    """The old one does not come back by itself."""
    old = memory.add("The queue runs on Redis")
    new = memory.add("The queue runs on Postgres", supersedes=old.id)
    memory.forget(new.id or "")
    assert memory.search("queue") == []
    [retired] = memory.get(old.id or "")
    assert (retired.superseded, retired.superseded_by) == (True, None)


def test_an_unknown_id_is_an_error_for_every_verb_but_get(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """It says which id."""
    for verb in ["forget", "pin", "unpin", "confirm", "update", "history", "timeline"]:
        with subtests.test(verb=verb):
            memory.add("something")
            for wrong in ("01a31600-0000-7000-8000-000000000001", "deadbeef", "x", ""):
                with pytest.raises(UnknownId, match="No memory has the id"):
                    getattr(memory, verb)(wrong)


def test_the_users_own_memories_are_found_from_every_project(memory: Holdfast, tmp_path: Path) -> None:
    """And changed from there, but do not mix with the project's."""
    own = memory.add("Ada likes the walrus", scope="user", kind="preference")
    project_one = memory.add("The walrus sleeps here")
    assert {hit.id for hit in memory.search("walrus")} == {own.id, project_one.id}
    assert len(memory.list()) == 2
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with Holdfast.open(elsewhere) as other:
        assert [hit.id for hit in other.search("walrus")] == [own.id]
        assert other.get(own.id or "")[0].project == "user"
        assert other.add("ada LIKES the walrus", scope="user").duplicate
        assert other.add("Ada likes the walrus").created
        with pytest.raises(InvalidInput, match="another scope"):
            other.add("Ada likes the ocelot", supersedes=own.id)
        other.forget(own.id or "")
    assert memory.get(own.id or "") == []


def test_pins_of_both_scopes_count_together(memory: Holdfast) -> None:
    """A brief carries them all."""
    for number in range(5):
        memory.pin(memory.add(f"rule {number}", scope="user" if number % 2 else "project").id or "")
    with pytest.raises(PinLimitReached):
        memory.pin(memory.add("one too many", scope="user").id or "")


def test_stats_count_what_there_is(memory: Holdfast, project: Path, clock: FakeClock) -> None:
    """For the project, and for the user once there is something."""
    assert memory.stats().user is None
    added = memory.add("the walrus", kind="fact")
    memory.add("going", expires="1d")
    memory.add("old", supersedes=None)
    memory.add("newer", supersedes=memory.add("older").id)
    memory.get(added.id or "")
    memory.search("walrus")
    memory.add("mine", scope="user")
    memory.start_session().record("user", "hello")
    memory.forget(memory.add("nothing to keep").id or "")
    clock.advance(DAY_MS)
    found = memory.stats()
    counts = found.counts
    assert (counts.memories, counts.superseded, counts.expired, counts.reads) == (3, 1, 1, 1)
    assert (counts.by_kind, counts.sessions, counts.turns, counts.tombstones) == (
        {"observation": 2, "fact": 1},
        1,
        1,
        1,
    )
    assert counts.accesses == 2
    assert found.project.project == str(project.resolve())
    assert found.user_counts
    assert found.user_counts.memories == 1


def test_what_was_added_is_there_the_next_time(project: Path) -> None:
    """Through `open`, as in the README; the name given to the project is kept."""
    with Holdfast.open(str(project), project="acme/shop") as memory:
        added = memory.add("We settled on LISTEN/NOTIFY for the job queue", kind="decision")
    with Holdfast.open(project) as memory:
        assert [hit.id for hit in memory.search("job queue")] == [added.id]
        assert memory.list()[0].project == "acme/shop"
    memory.close()


@pytest.mark.parametrize(
    ("target", "options", "field"),
    [
        ("postgresql://host/db", {}, "tenant"),
        ("mysql://host/db", {"tenant": "acme"}, "target"),
        ("https://host", {}, "token"),
        ("https://host", {"token": "t", "tenant": "acme"}, "tenant"),
        ("http://host.example", {"token": "t"}, "target"),
        ("https://u:p@host", {"token": "t"}, "target"),
        (".", {"tenant": "acme"}, "tenant"),
        (".", {"token": "t"}, "token"),
        ("missing", {}, "directory"),
    ],
)
def test_what_cannot_be_opened_is_named(
    target: str, options: dict[str, Any], field: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And makes nothing."""
    monkeypatch.chdir(project)
    with pytest.raises(InvalidInput) as caught:
        Holdfast.open(target, **options)
    assert caught.value.field == field
    assert isinstance(caught.value, HoldfastError)
    assert list(project.iterdir()) == []


def test_an_agent_that_rewrites_a_persons_memory_makes_it_its_own(project: Path) -> None:
    """Trust and status fall to the writer's; a change of tags leaves them alone."""
    with Holdfast.open(project) as memory:
        added = memory.add("Deploy on Mondays only", trust="user")
        memory.pin(added.id or "")
        tagged = memory.update(added.id or "", tags=["deploy"])
        assert (tagged.trust, tagged.status) == ("user", "pinned")
        rewritten = memory.update(added.id or "", content="Deploy whenever you like")
        assert (rewritten.trust, rewritten.status) == ("agent", "candidate")
        taken_back = memory.update(added.id or "", content="Deploy on Tuesdays", trust="user")
        assert (taken_back.trust, taken_back.status) == ("user", "confirmed")


def test_an_update_does_not_bring_back_what_was_forgotten(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.forget(memory.add("The vault code is written on the door").id or "")
        other = memory.add("Something harmless")
        with pytest.raises(InvalidInput, match="content: was forgotten"):
            memory.update(other.id or "", content="The vault code is written on the door")
        assert memory.update(other.id or "", content="The vault code is written on the door", trust="user")


def test_forgetting_an_old_version_leaves_no_mark_on_what_is_said_again(project: Path) -> None:
    """Redis, then Postgres, then Redis again: the first can go without the last being refused."""
    with Holdfast.open(project) as memory:
        first = memory.add("The job queue is Redis")
        second = memory.add("The job queue is Postgres", supersedes=first.id)
        third = memory.add("The job queue is Redis", supersedes=second.id)
        assert third.created
        memory.forget(first.id or "")
        assert memory.add("The job queue is Redis").duplicate


def test_a_bulk_add_with_one_wrong_supersession_writes_nothing(project: Path) -> None:
    """However many batches it would take, and the item is named."""
    with Holdfast.open(project) as memory:
        old = memory.add("The queue is Redis")
        items: list[dict[str, object]] = [{"content": f"Note {number}"} for number in range(600)]
        items[0]["supersedes"] = items[599]["supersedes"] = old.id
        with pytest.raises(InvalidInput, match=r"items\[599\]\.supersedes: another item takes its place"):
            memory.add_many(items)
        items[0] = {"content": "Note 0"}
        items[599] = {"content": "the queue is redis", "supersedes": old.id}
        with pytest.raises(InvalidInput, match=r"items\[599\]\.supersedes: that memory says the same"):
            memory.add_many(items)
        assert [one.id for one in memory.list()] == [old.id]


def test_threads_that_change_both_scopes_do_not_wait_for_each_other_for_ever(project: Path) -> None:
    """Forgetting touches two stores; pinning and updating one."""
    with Holdfast.open(project) as memory:
        kept = [memory.add(f"Kept {number}", scope="user").id or "" for number in range(4)]
        gone = [memory.add(f"A passing remark number {number}", scope="user").id or "" for number in range(20)]
        with ThreadPoolExecutor(4) as pool:
            jobs: list[Future[object]] = [pool.submit(memory.forget, one) for one in gone]
            jobs += [pool.submit(memory.update, kept[number % 4], tags=[str(number)]) for number in range(40)]
            jobs += [pool.submit(memory.pin, one) for one in kept]
            for job in jobs:
                job.result(timeout=60)
        assert len(memory.list()) == 4
