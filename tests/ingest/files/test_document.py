"""A Markdown file becomes entries, section by section."""

import os
from pathlib import Path

import pytest

from holdfast.export.formats import BEGIN, END
from holdfast.ingest.files import MOST_BYTES, SkippedFile, entries, read, tags_of
from holdfast.model.limits import CONTENT_BYTES
from holdfast.model.requests import Draft

TEXT = f"""\
---
title: Ignored
---
Before any heading.

# Retry policy

Seven attempts.

## Empty

{BEGIN}
- **decision** ours
{END}

## Back-off

<!-- nobody sees this -->
Doubles each time.

---
"""


def test_each_section_is_a_fact_with_its_file_headings_and_tags() -> None:
    found = [one.draft for one in entries("docs/retry-policy.md", TEXT.encode())]
    common = {"kind": "fact", "tags": ("retry-policy", "retry", "policy"), "source": "file-index"}
    file = "docs/retry-policy.md"
    assert found == [
        Draft(content="Before any heading.", title=file, context=file, files=(file,), **common),  # type: ignore[arg-type]  # its own names
        Draft(
            content="Seven attempts.",
            title=f"{file} › Retry policy",
            context=f"{file} › Retry policy",
            files=(file,),
            **common,  # type: ignore[arg-type]  # as above
        ),
        Draft(
            content="Doubles each time.\n\n---",
            title=f"{file} › Back-off",
            context=f"{file} › Retry policy › Back-off",
            files=(file,),
            **common,  # type: ignore[arg-type]  # as above
        ),
    ]


def test_a_section_longer_than_a_memory_is_cut_at_its_paragraphs() -> None:
    paragraphs = [f"{number} " + "ä" * 9_000 for number in range(5)]
    found = entries("a.md", ("# T\n\n" + "\n\n".join(paragraphs)).encode())
    assert all(len(one.draft.content.encode()) <= CONTENT_BYTES for one in found)
    assert "\n\n".join(one.draft.content for one in found) == "\n\n".join(paragraphs)
    whole = entries("a.md", ("x" * 90_000).encode())
    assert "".join(one.draft.content.replace("\n\n", "") for one in whole) == "x" * 90_000


def test_tags_are_the_words_of_the_name() -> None:
    assert tags_of("a/ADR_0012-use postgres.md") == ("adr_0012-use postgres", "adr", "0012", "use", "postgres")
    assert tags_of("README.md") == ("readme",)


def test_large_binary_linked_and_special_files_are_skipped_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "large.md").write_bytes(b"x" * (MOST_BYTES + 1))
    (tmp_path / "fits.md").write_bytes(b"x" * MOST_BYTES)
    (tmp_path / "binary.md").write_bytes(b"a\0b")
    (tmp_path / "link.md").symlink_to(tmp_path / "fits.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert len(read(tmp_path, "fits.md")) == MOST_BYTES
    for name, reason in (
        ("large.md", "is larger than 100 KB"),
        ("binary.md", "is not text"),
        ("link.md", "cannot be read"),
        ("pipe.md", "is no plain file"),
    ):
        with pytest.raises(SkippedFile, match=reason):
            read(tmp_path, name)
    with pytest.raises(FileNotFoundError):
        read(tmp_path, "gone.md")
