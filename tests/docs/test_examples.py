"""Every block of Python in README.md and the docs runs, in the order of its page, or says why not."""

from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, PYTHON, ROOT, blocks

EXAMPLES = {
    page: runnable
    for page in PAGES
    if (runnable := [block for block in blocks(page) if block.label == PYTHON and not block.reason])
}


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run_in_their_order(
    page: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty project, with the bundled model: some compare meanings."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    names: dict[str, object] = {"__name__": "example"}
    for block in EXAMPLES[page]:
        exec(compile(block.text, block.place, "exec"), names)  # noqa: S102 - they are our own pages
