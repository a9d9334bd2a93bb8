"""Two people and a repository: what one confirms the other finds, and edits come back."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.model.ingest import Shared
from holdfast.model.memory import Memory
from holdfast.model.requests import Changes, Draft
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.share.note import MOST_BYTES
from holdfast.share.sharing import MemorySharing
from holdfast.storage.ingest import index_of, sharing_of
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.secrets import GITHUB

RULE = "Retries wait 250 ms and double, because the gateway bans faster clients."


@dataclass
class Person:
    """Somebody with a checkout of their own."""

    root: Path
    service: Service

    @property
    def sharing(self) -> MemorySharing:
        return sharing_of(self.root, self.service)

    @property
    def files(self) -> dict[str, str]:
        folder = self.root / "project-memory"
        return {one.name: one.read_text("utf-8") for one in sorted(folder.glob("*.md"))}

    def said(self) -> dict[str, Memory]:
        """Return what holds, by content."""
        return {memory.content: memory for memory in self.service.list(Filters(), 1_000)}

    def everything(self) -> list[Memory]:
        return [memory for memory, _ in self.service.exchange.everything("project")]

    def put(self, name: str, text: str) -> None:
        (self.root / "project-memory").mkdir(exist_ok=True)
        (self.root / "project-memory" / name).write_text(text, "utf-8")

    def pull(self, other: "Person") -> None:
        """Bring the folder to where the other has it, as git would."""
        for name in set(self.files) - set(other.files):
            (self.root / "project-memory" / name).unlink()
        for name, text in other.files.items():
            self.put(name, text)

    def edit(self, before: str, after: str) -> None:
        """Edit the one file there is by hand."""
        [(name, text)] = self.files.items()
        assert before in text
        self.put(name, text.replace(before, after))

    def say(self, content: str, **more: object) -> str:
        added = self.service.add(Draft(content=content, trust="user", **more))  # type: ignore[arg-type]  # by name
        assert added.id
        return added.id


@pytest.fixture
def people(tmp_path: Path, clock: FakeClock) -> Iterator[tuple[Person, Person]]:
    opened = []
    for name in ("ada", "bob"):
        root = tmp_path / name
        root.mkdir()
        opened.append(Person(root, open_service(root, actor="test", clock=clock, embed_on_add=False)))
    yield opened[0], opened[1]
    for one in opened:
        one.service.close()


@pytest.fixture
def ada(people: tuple[Person, Person]) -> Person:
    return people[0]


@pytest.fixture
def bob(people: tuple[Person, Person]) -> Person:
    return people[1]


def test_what_is_confirmed_is_one_file_that_people_can_read(ada: Person) -> None:
    ada.say(RULE, kind="decision", tags=("net",))
    ada.service.add(Draft(content="Perhaps the cache is too small.", trust="agent"))
    done = ada.sharing.hand_out()
    [(name, text)] = ada.files.items()
    assert done.written == [name]
    assert name.startswith("retries-wait-250-ms-and-double-")
    assert text.endswith(f"---\n\n{RULE}\n")
    assert "kind: decision\n" in text
    assert 'tags: ["net"]\n' in text


def test_sharing_twice_writes_nothing_the_second_time(ada: Person) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    before = ada.files
    assert ada.sharing.hand_out() == Shared()
    assert ada.files == before


def test_a_colleague_has_it_as_an_imported_candidate_under_the_same_id(ada: Person, bob: Person) -> None:
    memory_id = ada.say(RULE, kind="decision", tags=("net",), context="Gateway", importance=0.9)
    ada.sharing.hand_out()
    bob.pull(ada)
    assert bob.sharing.take_in() == Shared(added=1)
    memory = bob.said()[RULE]
    assert (memory.id, memory.trust, memory.status, memory.source) == (
        memory_id,
        "imported",
        "candidate",
        "shared",
    )
    assert (memory.kind, memory.tags, memory.context, memory.importance) == ("decision", ("net",), "Gateway", 0.9)
    assert bob.sharing.take_in() == Shared()


def test_a_candidate_of_others_is_not_written_again_and_neither_is_it_once_confirmed(
    ada: Person, bob: Person
) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    assert bob.sharing.hand_out() == Shared()
    bob.service.confirm(bob.said()[RULE].id)
    assert bob.sharing.hand_out() == Shared()
    assert bob.files == ada.files


def test_a_round_trip_loses_nothing(ada: Person, bob: Person, clock: FakeClock) -> None:
    expires = clock.now() + 86_400_000
    metadata = {"ticket": "NET-7", "nested": {"a": [1, True, None]}}
    text = f"{RULE}\n\n---\n\n- one: \"two\"\n  <b>three</b> & 'four' \N{SNOWMAN}\n\n\n# five"
    (ada.root / "net.py").write_text("x")
    memory_id = ada.say(
        text,
        kind="pattern",
        title='A "title": with # everything',
        context="line one\nline two",
        tags=("a b", "yes", "7"),
        files=("net.py",),
        importance=0.7,
        confidence=0.25,
        expires=expires,
        metadata=metadata,
        at=clock.now() - 12_345,
    )
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    [mine], [theirs] = (person.service.get([memory_id]) for person in (ada, bob))
    same = ("content", "kind", "title", "context", "tags", "files", "file_hashes", "importance", "confidence",
            "expires", "created_at", "valid_from", "metadata")  # fmt: skip
    assert {name: getattr(theirs, name) for name in same} == {name: getattr(mine, name) for name in same}
    bob.service.confirm(memory_id)
    assert bob.sharing.hand_out() == Shared()


def test_an_edit_in_review_takes_the_place_of_what_others_said(ada: Person, bob: Person) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    bob.edit("250 ms", "500 ms")
    assert bob.sharing.take_in() == Shared(added=1)
    assert list(bob.said()) == [RULE.replace("250", "500")]
    assert bob.sharing.hand_out() == Shared()


def test_an_edit_of_anything_but_the_words_changes_the_memory_itself(ada: Person, bob: Person) -> None:
    ada.say(RULE, tags=("net",))
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    before = bob.said()[RULE]
    bob.edit('["net"]', '["net", "gateway"]')
    assert bob.sharing.take_in() == Shared(accepted=1)
    [after] = bob.everything()
    assert (after.id, after.tags, after.trust, after.status) == (
        before.id, ("net", "gateway"), "imported", "candidate",
    )  # fmt: skip
    assert bob.sharing.take_in() == Shared()


def test_an_edit_of_what_was_said_here_is_a_conflict_and_is_not_overwritten(ada: Person) -> None:
    memory_id = ada.say(RULE)
    ada.sharing.hand_out()
    ada.edit("250 ms", "500 ms")
    edited = ada.files
    done = ada.sharing.hand_out()
    assert (done.added, done.waiting, done.written) == (1, list(edited), [])
    assert ada.files == edited
    [conflict] = ada.service.conflicts()
    assert conflict.first == memory_id
    assert ada.sharing.hand_out().waiting == list(edited)
    assert len(ada.everything()) == 2


def test_an_edit_that_is_decided_against_is_written_over(ada: Person) -> None:
    memory_id = ada.say(RULE)
    ada.sharing.hand_out()
    original = ada.files
    ada.edit("250 ms", "500 ms")
    edited = ada.files
    ada.sharing.hand_out()
    [conflict] = ada.service.conflicts()
    ada.service.resolve(conflict, keep=memory_id)
    for _ in range(2):
        ada.sharing.hand_out()
        assert ada.files == original
        ada.put(*next(iter(edited.items())))


def test_an_edit_that_is_decided_for_stays(ada: Person) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    ada.edit("250 ms", "500 ms")
    edited = ada.files
    ada.sharing.hand_out()
    [conflict] = ada.service.conflicts()
    ada.service.resolve(conflict, keep=conflict.second)
    for _ in range(2):
        ada.sharing.hand_out()
        assert ada.files == edited
    assert list(ada.said()) == [RULE.replace("250", "500")]


def test_an_accepted_edit_is_the_users_own_word(ada: Person) -> None:
    memory_id = ada.say(RULE)
    ada.sharing.hand_out()
    ada.edit("250 ms", "500 ms")
    before = ada.files
    assert replace(ada.sharing, accept=True).hand_out() == Shared(accepted=1)
    [memory] = ada.everything()
    assert (memory.id, memory.content, memory.trust) == (memory_id, RULE.replace("250", "500"), "user")
    assert ada.files == before
    assert ada.sharing.hand_out() == Shared()


def test_another_branch_without_the_file_hides_it_and_nothing_changes_for_good(
    ada: Person, bob: Person, clock: FakeClock
) -> None:
    ada.say(RULE, expires=clock.now() + 86_400_000)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    before = bob.everything()
    [name] = bob.files
    (bob.root / "project-memory" / name).unlink()
    assert bob.sharing.take_in() == Shared(hidden=1)
    assert not bob.said()
    assert bob.sharing.take_in() == Shared()
    bob.pull(ada)
    assert bob.sharing.take_in() == Shared(shown=1)
    assert bob.everything() == before


def test_a_branch_with_other_words_and_back_leaves_what_was_there(ada: Person, bob: Person) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    first = bob.said()
    bob.edit("250 ms", "500 ms")
    bob.sharing.take_in()
    for _ in range(2):
        bob.pull(ada)
        bob.sharing.take_in()
        assert bob.said() == first
        bob.edit("250 ms", "500 ms")
        bob.sharing.take_in()
        assert list(bob.said()) == [RULE.replace("250", "500")]
    assert len(bob.everything()) == 2


def test_a_scan_notices_that_the_whole_folder_is_gone(ada: Person, bob: Person) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    index = index_of(bob.root, bob.service)
    assert index.scan().added == 1
    [name] = bob.files
    (bob.root / "project-memory" / name).unlink()
    (bob.root / "project-memory").rmdir()
    assert index.scan().hidden == 1
    assert not bob.said()


def test_shared_files_are_no_documents(ada: Person, bob: Person) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    index = index_of(bob.root, bob.service)
    done = index.refresh([f"project-memory/{name}" for name in bob.files])
    assert (done.files, done.added) == (0, 1)
    assert [memory.source for memory in bob.everything()] == ["shared"]
    assert index_of(ada.root, ada.service).scan().added == 0


def test_only_retracted_takes_it_back(ada: Person, bob: Person) -> None:
    memory_id = ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    ada.service.forget(memory_id)
    assert ada.sharing.hand_out() == Shared(forgotten=list(ada.files))
    assert RULE in next(iter(ada.files.values()))
    replace(ada.sharing, retract=True).hand_out()
    [text] = ada.files.values()
    assert "retracted: true" in text
    assert "Retries" not in text
    bob.pull(ada)
    assert bob.sharing.take_in() == Shared(retracted=1)
    assert not bob.everything()
    assert bob.sharing.take_in() == Shared()


def test_what_was_confirmed_here_survives_that_others_take_it_back(ada: Person, bob: Person) -> None:
    memory_id = ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    bob.service.confirm(memory_id)
    bob.edit("created:", "retracted: true\ncreated:")
    before = bob.files
    assert bob.sharing.hand_out() == Shared(disputed=[memory_id])
    assert list(bob.said()) == [RULE]
    assert bob.files == before


def test_what_was_forgotten_here_does_not_come_back(ada: Person, bob: Person) -> None:
    memory_id = ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    bob.service.forget(memory_id)
    assert bob.sharing.hand_out() == Shared(forgotten=list(bob.files))
    assert not bob.everything()


def test_what_took_its_place_reaches_others_and_nothing_is_remembered_twice(ada: Person, bob: Person) -> None:
    old = ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    new = ada.say("The queue retries by itself.", supersedes=old)
    ada.sharing.hand_out()
    assert len(ada.everything()) == 2
    assert any(f'superseded_by: "{new}"' in text for text in ada.files.values())
    bob.pull(ada)
    bob.sharing.take_in()
    assert list(bob.said()) == ["The queue retries by itself."]
    assert [memory.superseded_by for memory in bob.everything()] == [new, None]
    assert (ada.sharing.hand_out(), bob.sharing.hand_out()) == (Shared(), Shared())


def test_a_candidate_that_took_its_place_here_is_nobody_elses_business(ada: Person, bob: Person) -> None:
    old = ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    bob.service.add(Draft(content="The queue retries by itself.", trust="agent", supersedes=old))
    assert bob.sharing.hand_out() == Shared()
    assert bob.files == ada.files


def test_what_two_people_said_alike_is_one_file(ada: Person, bob: Person) -> None:
    ada.say(RULE, tags=("net",))
    bob.say(RULE, tags=("gateway",))
    ada.sharing.hand_out()
    bob.pull(ada)
    assert bob.sharing.hand_out().written == []
    assert bob.files == ada.files
    assert bob.sharing.hand_out() == Shared()


def test_a_memory_that_is_changed_here_changes_its_file_and_comes_to_others(ada: Person, bob: Person) -> None:
    memory_id = ada.say(RULE)
    ada.sharing.hand_out()
    bob.pull(ada)
    bob.sharing.take_in()
    ada.service.update(memory_id, Changes(content="Retries wait a second.", trust="user"))
    [name] = ada.files
    assert ada.sharing.hand_out().written == [name]
    bob.pull(ada)
    bob.sharing.take_in()
    assert list(bob.said()) == ["Retries wait a second."]


def test_a_file_that_somebody_wrote_by_hand_needs_no_front_matter(bob: Person) -> None:
    bob.put("ours.md", "We decided to keep the gateway.\n")
    assert bob.sharing.take_in() == Shared(added=1)
    memory = bob.said()["We decided to keep the gateway."]
    assert memory.kind == "decision"
    bob.service.confirm(memory.id)
    assert bob.sharing.hand_out().written == ["ours.md"]
    assert bob.sharing.hand_out() == Shared()


def test_a_secret_in_a_file_is_not_kept(bob: Person) -> None:
    bob.put("key.md", f"Deploy with {GITHUB}.\n")
    bob.sharing.take_in()
    [memory] = bob.everything()
    assert GITHUB not in memory.content


def test_files_that_cannot_be_read_are_named_and_the_others_come_in(bob: Person) -> None:
    unusable = [
        ("", "content"),
        ("---\nimportance: high\n---\n\nA rule.\n", "importance"),
        ("---\nimportance: 7\n---\n\nA rule.\n", "importance"),
        ("---\nkind: recipe\n---\n\nA rule.\n", "kind"),
        ("---\nexpires: someday\n---\n\nA rule.\n", "expires"),
        ("---\nmetadata: 7\n---\n\nA rule.\n", "metadata"),
        ("x" * (MOST_BYTES + 1), "larger"),
    ]
    for number, (text, _) in enumerate(unusable):
        bob.put(f"bad{number}.md", text)
    bob.put("good.md", "A rule that holds.\n")
    done = bob.sharing.take_in()
    assert done.added == 1
    reasons = [done.skipped.get(f"bad{number}.md", "") for number in range(len(unusable))]
    unnamed = [row for row, given in zip(unusable, reasons, strict=True) if row[1] not in given]
    assert unnamed == []
    assert len(done.skipped) == len(unusable)


def test_links_are_not_followed(bob: Person, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("Somebody else's words.\n")
    bob.put("good.md", "A rule that holds.\n")
    (bob.root / "project-memory" / "link.md").symlink_to(tmp_path / "outside.md")
    done = bob.sharing.take_in()
    assert (done.added, list(done.skipped)) == (1, ["link.md"])


def test_a_dry_run_changes_neither_memory_nor_files(ada: Person) -> None:
    ada.say(RULE)
    ada.put("theirs.md", "We keep the gateway.\n")
    before = ada.everything(), ada.files
    done = replace(ada.sharing, dry_run=True).hand_out()
    assert (done.added, len(done.written)) == (1, 1)
    assert (ada.everything(), ada.files) == before


def test_a_file_with_an_unresolved_merge_is_not_read_and_its_memory_stays(ada: Person, bob: Person) -> None:
    ada.say(RULE)
    ada.sharing.hand_out()
    for person in (ada, bob):
        person.pull(ada)
        person.sharing.take_in()
        [(name, text)] = person.files.items()
        merged = text.replace(RULE, f"<<<<<<< HEAD\n{RULE}\n=======\nRetries wait 9 s.\n>>>>>>> theirs")
        before = person.everything()
        person.put(name, merged)
        done = person.sharing.hand_out()
        assert (list(done.skipped), done.hidden, done.added, done.written) == ([name], 0, 0, [])
        assert "unresolved merge conflict" in done.skipped[name]
        assert (person.everything(), person.files) == (before, {name: merged})
        person.put(name, text)


def test_of_two_files_with_one_id_the_first_has_it_and_neither_replaces_the_other(bob: Person) -> None:
    """Somebody copied a file to write another memory, and left the id in it."""
    head = "---\nid: 01a8a3f4-5b7c-7d2e-9f10-a1b2c3d4e5f6\n---\n\n"
    bob.put("a.md", f"{head}{RULE}\n")
    bob.put("b.md", f"{head}We keep the gateway.\n")
    done = bob.sharing.take_in()
    assert (done.added, list(done.skipped)) == (2, ["b.md"])
    assert "a.md" in done.skipped["b.md"]
    before = bob.everything()
    assert set(bob.said()) == {RULE, "We keep the gateway."}
    again = bob.sharing.take_in()
    assert (again.added, list(again.skipped), bob.everything()) == (0, ["b.md"], before)
    bob.put("0.md", f"{head}We left the gateway.\n")
    assert list(bob.sharing.take_in().skipped) == ["0.md", "b.md"]
    assert set(bob.said()) == {RULE, "We keep the gateway.", "We left the gateway."}
