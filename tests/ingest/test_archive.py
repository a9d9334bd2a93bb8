"""What somebody hands in is opened under limits, and nothing in it can lead anywhere else."""

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from holdfast.errors import UnusableFile
from holdfast.ingest.bundle import ImportLimits, open_bundle
from tests.rows import each

SMALL = ImportLimits(bytes=4_000_000, whole=1_000_000, ratio=50, parts=20, entries=100)


def a_zip(path: Path, **files: bytes) -> Path:
    """Make a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return path


def a_tar(path: Path, *members: tarfile.TarInfo) -> Path:
    """Make a tar archive of members without content."""
    with tarfile.open(path, "w") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    """Make one entry of a tar archive."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def read(path: Path, limits: ImportLimits = SMALL) -> dict[str, bytes]:
    """Return what is in a bundle, by name."""
    return {part.name: part.read() for part in open_bundle(path, limits)}


def test_a_file_a_zip_a_tar_and_their_compressed_forms_give_the_same_parts(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"text")
    packed = a_zip(tmp_path / "a.zip", **{"a.md": b"text", "b/c.md": b"more"})
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        archive.add(tmp_path / "a.md", "a.md")
    (tmp_path / "a.md.gz").write_bytes(gzip.compress(b"text"))
    inner = a_zip(tmp_path / "inner.zip", **{"a.md.gz": gzip.compress(b"text")})
    assert read(tmp_path / "a.md") == read(tmp_path / "a.tgz") == read(tmp_path / "a.md.gz") == {"a.md": b"text"}
    assert read(packed) == {"a.md": b"text", "b/c.md": b"more"}
    assert read(inner) == {"a.md": b"text"}


def test_a_folder_gives_its_markdown_files_and_follows_no_links(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    for name in ("b.md", "deep/a.markdown", ".hidden/x.md", "c.txt"):
        (folder / name).write_text(name)
    (tmp_path / "secret.md").write_text("outside")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    assert read(folder) == {"b.md": b"b.md", "deep/a.markdown": b"deep/a.markdown"}


@each("name", ["../up.md", "/etc/passwd", "a/../../b.md", "C:/x.md", "..\\up.md", "\\abs.md"], fresh=("tmp_path",))
def test_an_entry_that_leads_out_of_its_archive_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="leads out of it"):
        open_bundle(a_zip(tmp_path / "a.zip", **{"good.md": b"x", name: b"x"}), SMALL)
    with pytest.raises(UnusableFile, match="leads out of it"):
        open_bundle(a_tar(tmp_path / "a.tar", member("good.md"), member(name)), SMALL)


@each(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
    fresh=("tmp_path",),
)
def test_an_entry_that_is_no_plain_file_is_refused(kind: bytes, tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="a link or a device"):
        open_bundle(a_tar(tmp_path / "a.tar", member("x.md", kind, "elsewhere")), SMALL)


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(UnusableFile, match="a link or a device"):
        open_bundle(tmp_path / "a.zip", SMALL)


def test_what_unpacks_to_far_more_than_it_is_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """A bomb: ten kilobytes that become ten megabytes."""
    bomb = a_zip(tmp_path / "a.zip", **{"a.md": b"0" * 3_000_000})
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"0" * 3_000_000))
    for path in (bomb, tmp_path / "a.jsonl.gz"):
        with pytest.raises(UnusableFile, match="more than 50 times its size"):
            open_bundle(path, SMALL)


def test_what_is_compressed_inside_an_archive_counts_together(tmp_path: Path) -> None:
    """Each of them is small enough alone, and all of them are more than may be held."""
    packed = {f"{number}.jsonl.gz": gzip.compress(b"0" * 900_000) for number in range(10)}
    several = a_zip(tmp_path / "a.zip", **packed)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, raw in packed.items():
            info = member(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    for path in (several, tmp_path / "a.tar"):
        with pytest.raises(UnusableFile, match="larger than 3 MiB"):
            open_bundle(path, SMALL)


def test_more_bytes_or_files_than_may_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "huge.jsonl").write_bytes(os.urandom(4_000_001))
    with pytest.raises(UnusableFile, match=r"huge.jsonl: is larger than 3 MiB"):
        open_bundle(tmp_path / "huge.jsonl", SMALL)
    many = a_zip(tmp_path / "many.zip", **{f"{number}.md": b"x" for number in range(21)})
    with pytest.raises(UnusableFile, match="more than 20 files"):
        open_bundle(many, SMALL)
    (tmp_path / "big.md").write_bytes(b"x" * 1_000_001)
    with pytest.raises(UnusableFile, match=r"big\.md: is larger than"):
        read(tmp_path / "big.md")


def test_a_header_that_lies_about_a_size_is_found_out(tmp_path: Path) -> None:
    path = a_zip(tmp_path / "a.zip", **{"a.md": b"x" * 5_000})
    raw = path.read_bytes().replace((5_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(raw)
    with pytest.raises(UnusableFile):
        open_bundle(path, SMALL)


@each("name", ["a.zip", "a.jsonl.gz"], fresh=("tmp_path",))
def test_a_truncated_archive_is_refused(name: str, tmp_path: Path) -> None:
    a_zip(tmp_path / "a.zip", **{"a.md": os.urandom(5_000)})
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(os.urandom(5_000)))
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-1_000])
    with pytest.raises(UnusableFile, match="damaged or cut off"):
        read(path)


def test_what_is_no_file_or_empty_or_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "none").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, problem in (
        ("empty.jsonl", "is empty"),
        ("none", "holds no Markdown"),
        ("pipe", "is no regular file"),
        ("missing", "No such file"),
    ):
        with pytest.raises(UnusableFile, match=problem):
            open_bundle(tmp_path / name, SMALL)


def test_text_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"content": "fine"}\n{"content": "\xff"}\n')
    [part] = open_bundle(tmp_path / "a.jsonl", SMALL)
    with pytest.raises(UnusableFile, match=r"a\.jsonl, line 2: is not UTF-8"):
        list(part.lines())
