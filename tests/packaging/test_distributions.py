"""What is handed out holds what it needs and nothing else, can be made anew to the byte, and runs anywhere."""

import json
import os
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from holdfast import __version__
from holdfast.interfaces.cli.topics import topics
from scripts.release import WEIGHTS, bill_of_materials
from tests.packaging.distributions import ROOT, Archives, build, environment_with, unpack

BUNDLED = (
    "holdfast/embedding/minilm/model.onnx",
    "holdfast/embedding/minilm/tokenizer.json",
    "holdfast/embedding/static/static.bin",
    "holdfast/embedding/static/SOURCES.md",
    "holdfast/embedding/hashing_idf.txt",
    "holdfast/judge/full.onnx",
    "holdfast/judge/light.bin",
    "holdfast/recall/brief/trigrams.txt",
)
"""Weights, tables, and the page that names their sources."""
LICENCES = ("LICENSE", "NOTICE")
PERMISSIVE = re.compile(
    "MIT|BSD|Apache|PSF|Python Software|ISC|CC0|CC BY|Unlicense|public domain|PostgreSQL|WordNet"
)
HEADINGS = ("source", "package", "**all**", "167 Python packages", "templates")
FOREIGN = ("tests", "benchmarks", "scripts", "plugins", "docs", ".ci", ".github")
"""Folders of the repository that are no part of an installed package."""


@pytest.fixture(scope="module")
def programs(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel."""
    return environment_with(archives.wheel, tmp_path_factory.mktemp("env"))


def wheel_names(archives: Archives) -> list[str]:
    """Return the paths in the wheel."""
    with zipfile.ZipFile(archives.wheel) as archive:
        return archive.namelist()


def source_names(archives: Archives) -> list[str]:
    """Return the paths in the source archive, below its folder."""
    with tarfile.open(archives.source) as archive:
        return [name.partition("/")[2] for name in archive.getnames()]


def test_the_wheel_holds_the_whole_package_with_its_weights_and_tables(archives: Archives) -> None:
    names = set(wheel_names(archives))
    package = ROOT / "src" / "holdfast"
    files = {
        f"holdfast/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files - names == set()
    assert set(BUNDLED) - names == set()


def test_the_wheel_holds_every_page_that_help_prints_and_no_other(archives: Archives) -> None:
    """No pictures, no decisions, nothing that is for contributors only."""
    pages = {name for name in wheel_names(archives) if name.startswith("holdfast/docs/")}
    assert pages == {f"holdfast/docs/{topic.page}.md" for topic in topics() if topic.page}


def test_the_wheel_holds_nothing_else(archives: Archives) -> None:
    """No tests, and nothing that would land beside holdfast among the packages of others."""
    tops = {name.split("/")[0] for name in wheel_names(archives)}
    assert tops == {"holdfast", f"holdfast-{__version__}.dist-info"}


def test_the_wheel_carries_the_licences_of_what_it_holds(archives: Archives) -> None:
    place = f"holdfast-{__version__}.dist-info/licenses"
    names = wheel_names(archives)
    expected = [
        f"{place}/{folder}{name}" for folder in ("", "src/holdfast/embedding/minilm/") for name in LICENCES
    ] + [f"{place}/src/holdfast/embedding/static/SOURCES.md"]
    assert [name for name in expected if name not in names] == []


def test_the_page_on_an_index_has_no_link_that_leads_nowhere(archives: Archives) -> None:
    with zipfile.ZipFile(archives.wheel) as archive:
        text = archive.read(f"holdfast-{__version__}.dist-info/METADATA").decode()
    page = text.partition("\n\n")[2]
    assert page.startswith("# holdfast")
    assert re.findall(r"""(?:\]\(|src(?:set)?=")(?!https?:|#)([^)\s"]+)""", page) == []


def test_every_source_of_the_table_has_a_licence_that_lets_it_be_used() -> None:
    """Share-alike, copyleft and what is not known are in a list of their own: looked at, and not used."""
    page = (ROOT / "src/holdfast/embedding/static/SOURCES.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in page.partition("## Looked at")[0].splitlines() if line[:2] == "| "]
    licences = {name.strip(): licence.strip() for name, licence in rows if name.strip() not in HEADINGS}
    assert len(licences) > 200
    assert {name: licence for name, licence in licences.items() if not PERMISSIVE.search(licence)} == {}
    assert {name: licence for name, licence in licences.items() if re.search("GPL|SA|MPL|Artistic", licence)} == {}


@pytest.mark.parametrize("path", BUNDLED)
def test_the_notice_names_every_work_that_is_bundled(path: str) -> None:
    assert Path(path).name in (ROOT / "NOTICE").read_text(encoding="utf-8")


def test_the_source_archive_holds_the_source_and_the_docs_and_no_tests(archives: Archives) -> None:
    names = source_names(archives)
    expected = (
        "pyproject.toml",
        "README.md",
        "CHANGELOG.md",
        "docs/domain.md",
        *LICENCES,
        *(f"src/{name}" for name in BUNDLED),
    )
    assert [name for name in expected if name not in names] == []
    foreign = set(FOREIGN) - {"docs"}
    assert [name for name in names if name.split("/")[0] in foreign] == []


def test_the_source_archive_gives_the_same_archives_to_the_byte(archives: Archives, tmp_path: Path) -> None:
    """What is downloaded as source is all there is, and who builds it anew can compare."""
    folder = unpack(archives.source, tmp_path / "unpacked")
    again = build(folder, tmp_path / "again")
    assert again.wheel.read_bytes() == archives.wheel.read_bytes()
    assert again.source.read_bytes() == archives.source.read_bytes()


def test_the_wheel_works_in_an_environment_of_its_own(programs: Path, tmp_path: Path) -> None:
    where = subprocess.run(
        [programs / "python", "-c", "import holdfast; print(holdfast.__file__)"], capture_output=True, text=True
    )
    assert where.stdout.startswith(str(programs.parent)), where.stderr
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "USERPROFILE": str(home),
        "HOLDFAST_EMBEDDING_BACKGROUND": "false",  # the vector is made when it is asked for
    }

    def holdfast(*words: str) -> str:
        result = subprocess.run(
            [programs / "holdfast", *words], cwd=home, env=environment, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    assert holdfast("help", "briefs").startswith("The brief\n")
    assert "claude-code" in holdfast("help")
    project = home / "shop"
    project.mkdir()
    holdfast("add", "Jobs are queued in Redis lists", "--project", str(project))
    holdfast("reindex", "--pending", "--project", str(project))
    assert "Redis lists" in holdfast("search", "how do workers get their tasks", "--project", str(project))
    diagnoses = json.loads(holdfast("doctor", "--json", "--project", str(project)))["diagnoses"]
    assert [entry["severity"] for entry in diagnoses if entry["name"] == "model"] == ["ok"]


def test_the_bill_of_materials_names_every_dependency_and_the_weights(programs: Path) -> None:
    bill = json.loads(bill_of_materials(programs / "python"))
    licences = {entry["name"]: entry.get("licenses") for entry in bill["components"]}
    assert {"apsw", "click", "numpy", "onnxruntime", "tokenizers"} <= licences.keys()
    assert [name for name in WEIGHTS if not licences.get(name)] == []
    assert bill["metadata"]["component"]["version"] == __version__
