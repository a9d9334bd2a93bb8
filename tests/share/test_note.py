"""A note is read back from its file as it was written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.text.clean import normalise
from holdfast.errors import InvalidInput
from holdfast.model.ids import new_id
from holdfast.share.note import Folder, SharedNote, file_name, read, write
from tests.rows import each

texts = st.text(max_size=200).map(normalise)
said = texts.map(str.strip).filter(bool)


@given(content=said, title=said, context=texts, tags=st.lists(said, max_size=3), agent=st.none() | said)
def test_what_is_written_is_read_back(
    content: str, title: str, context: str, tags: list[str], agent: str | None
) -> None:
    note = SharedNote(
        id=new_id(1), kind="decision", title=title, content=content, context=context if context.strip() else "",
        tags=tuple(tags), agent=agent, created=1_799_999_999_123, metadata={"a": content}, file_hashes={},
    )  # fmt: skip
    assert read(write(note)) == note


def test_names_of_files_are_plain_whatever_the_title_holds() -> None:
    note = SharedNote(id=new_id(1), kind=None, title="../Über/\u202e \x00 „Alles“: nul?", content="x")
    assert file_name(note) == f"uber-alles-nul-{note.id[-8:]}.md"  # type: ignore[index]  # it has one


@each("name", ["/etc", "../up", "a/../../b", ".holdfast/x", ".git/hooks", ""])
def test_the_folder_lies_in_the_repository_and_outside_our_own(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"share\.folder"):
        Folder(tmp_path, name)
