"""The viewer's files keep their shape: text stays text, nothing comes from elsewhere or is left over."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "src/holdfast/interfaces/http/viewer/static"
SCRIPTS = sorted(STATIC.rglob("*.js"))
STYLES = sorted(STATIC.rglob("*.css"))
LONGEST_LINE = 115
LONGEST_SCRIPT = 300
LONGEST_STYLE = 500

READS_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|setHTML|document\.write|DOMParser|createContextualFragment|"
    r"\beval\b|\bFunction\(|srcdoc|javascript:"
)
INLINE = re.compile(r"setAttribute\(\s*[\"']style|[{,]\s*style:|\bstyle=|\son[a-z]+=")
"""What the content policy refuses: a style or a handler in an attribute."""

ELSEWHERE = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(")


def named(path: Path) -> str:
    """Return a path for people."""
    return str(path.relative_to(STATIC))


def lines_with(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    """Return where a pattern stands."""
    return [
        f"{named(path)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_text_is_ever_read_as_markup() -> None:
    assert lines_with(READS_MARKUP, SCRIPTS) == []


def test_nothing_stands_inline() -> None:
    assert lines_with(INLINE, [*SCRIPTS, STATIC / "index.html"]) == []


def test_nothing_comes_from_elsewhere() -> None:
    assert lines_with(ELSEWHERE, [*SCRIPTS, *STYLES, *STATIC.glob("*.html"), *STATIC.glob("*.svg")]) == []


def test_every_file_is_used() -> None:
    """From the page every other file is reached, and all of them lie where the server looks."""
    reached: set[Path] = set()
    waiting = [STATIC / "index.html"]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        text = path.read_text(encoding="utf-8")
        waiting += [
            STATIC / name for name in re.findall(r"[\"']/viewer/([^\"']+)[\"']", text) if "api/" not in name
        ]
        waiting += [(path.parent / name).resolve() for name in re.findall(r"from \"(\.[^\"]+)\"", text)]
    assert {named(path) for path in STATIC.rglob("*") if path.is_file()} == {named(path) for path in reached}
    assert [named(path) for path in reached if len(path.relative_to(STATIC).parts) > 2] == []


def test_no_file_and_no_line_is_too_long() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in [*SCRIPTS, *STYLES]}
    assert [named(path) for path in SCRIPTS if sizes[path] > LONGEST_SCRIPT] == []
    assert [named(path) for path in STYLES if sizes[path] > LONGEST_STYLE] == []
    assert lines_with(re.compile(rf"^.{{{LONGEST_LINE + 1},}}$"), SCRIPTS) == []


def test_every_exported_name_is_used_by_another_file() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SCRIPTS}
    unused = [
        f"{named(path)}: {name}"
        for path, text in texts.items()
        for name in re.findall(r"^export (?:async )?(?:const|function|class) (\w+)", text, re.MULTILINE)
        if not any(re.search(rf"\b{name}\b", other) for file, other in texts.items() if file != path)
    ]
    assert unused == []


def test_every_file_says_what_lives_in_it() -> None:
    silent = [
        named(path)
        for path in [*SCRIPTS, *STYLES]
        if not path.read_text(encoding="utf-8").startswith(("// ", "/* "))
    ]
    assert silent == []
