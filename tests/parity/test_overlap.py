"""What words find in the project's own texts, in a file and on a server."""

import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.scoring import overlap
from holdfast import Holdfast

DOCS = Path(__file__).parents[2] / "docs"
LIMIT = 10


def paragraphs() -> Iterator[str]:
    """Every paragraph of the guides, long enough to say something."""
    for guide in sorted(DOCS.glob("*.md")):
        for block in re.split(r"\n\s*\n", guide.read_text(encoding="utf-8")):
            if 80 <= len(block) <= 1_500 and not block.startswith(("#", "|", "```")):
                yield block


def headings() -> Iterator[str]:
    """Every heading of the guides and of the decision records, as somebody may ask."""
    for guide in sorted(DOCS.rglob("*.md")):
        for line in guide.read_text(encoding="utf-8").splitlines():
            if line.startswith("#") and len(line.split()) > 2:
                yield line.lstrip("# ")


def ranking(memory: Holdfast, question: str) -> list[tuple[str, float]]:
    hits = memory.search(question, limit=LIMIT, mode="keyword")
    return [(hit.title, hit.score) for hit in hits]


def test_a_server_finds_by_words_what_a_file_finds_in_our_own_texts(
    tmp_path: Path, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    texts = list(paragraphs())[::3]
    questions = list(headings())[::2]
    with (
        Holdfast.open(tmp_path) as file,
        Holdfast.open(empty_postgres, tenant="acme", project="docs") as hosted,
    ):
        for memory in (file, hosted):
            memory.add_many(
                [{"content": text, "title": f"{place}", "kind": "fact"} for place, text in enumerate(texts)]
            )
        shares = [overlap(ranking(file, question), ranking(hosted, question)) for question in questions]
    assert len(texts) > 100
    assert len(questions) > 80
    assert statistics.fmean(shares) >= 0.98
