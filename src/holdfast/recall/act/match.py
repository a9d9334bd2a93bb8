"""The compiled rules of a project, and which of them a tool call touches. Light: runs before every tool call.

The file, little-endian: 8 bytes magic, the length of a JSON text, that text (a list of rules, newest first),
then one row of 384 int8 for each rule. A call's score against a rule adds up how near they are in meaning
(static encoder), how many of the rule's words it has and how rare they are, and how many touch points; from it
goes what the rule scores on calls of no concern, so that a rule in common words is not told everywhere.
"""

import json
import os
import struct
from collections.abc import Sequence
from operator import mul

from holdfast.machine import paths
from holdfast.model.ids import digest
from holdfast.recall.act import shell
from holdfast.recall.act.words import COMMAND, stems_of

MAGIC = b"HFRULES1"
HEAD = struct.Struct("<8sI")
DIMENSIONS = 384
FOLDER = "rules"

WEIGHTS = (8.0, 0.5, 4.0, 0.5, 0.4)
"""Of meaning, the sum of shared words, their share, the rarest of them, touch points. Fitted by
`benchmarks.act`."""
BACKGROUND_DEVIATIONS = 2.0
"""What goes from a score: the mean over calls of no concern, and so many standard deviations."""
LEAST_SCORE = 1.95
"""A rule that scores less is not told."""
MOST_TOLD = 2
"""Rules that are told about one call."""
READ_CHARS, ENCODED_CHARS = 3_000, 600

_WRITES = tuple("content new_string newString new_str file_text new_source edits patch patchText diff".split())
_BODY = (*_WRITES, "command", "cmd", "input", "code", "query", "sql", "url", "text", "body", "message", "prompt")
_SHELL_KEYS = ("command", "cmd")
_PATHS = ("file_path", "filePath", "absolute_path", "notebook_path", "path", "filename", "file")
_READERS = frozenset(
    "read grep glob ls list view find search websearch webfetch readfile readmanyfiles listdirectory "
    "searchfilecontent task agent todowrite todoread taskupdate taskcreate toolsearch skill exitplanmode "
    "enterplanmode question".split()
)


class Call:
    """A tool call as its client proposes it."""

    __slots__ = ("body", "files", "line", "stems", "text", "tool", "vector")

    def __init__(self, tool: str, tool_input: dict[str, object], files: tuple[str, ...] = ()) -> None:
        self.tool = tool
        self.line = None if "__" in tool else _line(tool_input)
        self.files = files
        self.body = self.line if self.line is not None else _body(tool_input)
        tails = " ".join("/".join(name.replace("\\", "/").split("/")[-4:]) for name in files[:4])
        self.text = f"{tails} {self.body}".strip()[:READ_CHARS]
        self.stems: dict[str, str] = {}
        self.vector: list[float] = []

    def reads_only(self) -> bool:
        """Say whether the call changes nothing, as far as its name or its command line tells."""
        if self.line is not None:
            return all(map(shell.only_reads, shell.commands_of(self.line)))
        return self.tool.lower().replace("_", "").replace("-", "") in _READERS

    def read(self) -> None:
        """Make what scoring compares: words, and the vector of the beginning."""
        from holdfast.embedding.static import bundled

        self.stems = stems_of(self.text)
        self.vector = bundled().encode(self.text[:ENCODED_CHARS]).tolist()


def call_of(tool: str, tool_input: dict[str, object]) -> Call:
    """Return a call with the files that its arguments name."""
    files = [value for key in _PATHS if isinstance(value := tool_input.get(key), str) and value.strip()]
    patch = next(
        (
            value
            for key in ("input", "patch", "patchText", *_SHELL_KEYS)
            if isinstance(value := tool_input.get(key), str)
        ),
        "",
    )
    if "*** " in patch:
        files += [
            line.partition(": ")[2] for line in patch.splitlines() if line.startswith("*** ") and " File: " in line
        ]
    return Call(tool, tool_input, tuple(dict.fromkeys(name for name in files if "\n" not in name)))


def _line(tool_input: dict[str, object]) -> str | None:
    """Return the command line of a shell's call."""
    for key in _SHELL_KEYS:
        value = tool_input.get(key)
        if isinstance(value, list):
            words = list(map(str, value))
            return (
                words[-1]
                if words[1:2] and words[1].startswith("-") and words[1].endswith("c")
                else " ".join(words)
            )
        if isinstance(value, str) and not any(key in tool_input for key in _WRITES):
            return value
    return None


def _body(tool_input: dict[str, object]) -> str:
    """Return what a call would write or send."""
    texts = [value for key in _BODY if isinstance(value := tool_input.get(key), str)]
    edits = tool_input.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        texts += [edit[key] for key in _WRITES if isinstance(edit, dict) and isinstance(edit.get(key), str)]
    if not texts:
        texts = [
            str(value) for key, value in tool_input.items() if key not in _PATHS and isinstance(value, str | int)
        ]
    return "\n".join(texts)


class CompiledRule:
    """One rule as it stands in the file."""

    __slots__ = ("at", "guard", "id", "line", "points", "shift", "stems", "title", "total", "vector")

    def __init__(self, fields: dict[str, object], vector: memoryview) -> None:
        self.id = str(fields["id"])
        self.title = str(fields["title"])
        self.line = str(fields["line"])
        self.at = fields["at"]
        self.points: list[list[str]] = fields["points"]  # type: ignore[assignment]  # as `compile` wrote it
        self.stems: dict[str, float] = fields["stems"]  # type: ignore[assignment]  # as `compile` wrote it
        self.total: float = fields["total"]  # type: ignore[assignment]  # as `compile` wrote it
        self.guard: dict[str, object] = fields["guard"]  # type: ignore[assignment]  # as `compile` wrote it
        self.shift: float = fields["shift"]  # type: ignore[assignment]  # as `compile` wrote it
        self.vector = vector


def file_of(root: str | None) -> str:
    """Return the path of a project's compiled rules; without a root, that of the person's own."""
    name = digest(os.path.realpath(root))[:32] if root else "user"
    return os.path.join(paths.data_directory(), FOLDER, f"{name}.bin")


def read_head(path: str) -> tuple[dict[str, object], memoryview]:
    """Return what a file says, and its vectors; nothing where there is none."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return {}, memoryview(b"")
    magic, length = HEAD.unpack_from(data) if len(data) >= HEAD.size else (b"", 0)
    if magic != MAGIC:
        return {}, memoryview(b"")
    return json.loads(data[HEAD.size : HEAD.size + length]), memoryview(data)[HEAD.size + length :].cast("b")


def load(path: str) -> "tuple[list[CompiledRule], dict[str, list[str]]]":
    """Return the rules of a file, and what is known by file; a damaged one raises ValueError."""
    head, vectors = read_head(path)
    known = head.get("files", {})
    rules = head.get("rules", [])
    if not isinstance(rules, list) or len(vectors) != len(rules) * DIMENSIONS:
        raise ValueError(f"{os.path.basename(path)} does not hold what it says")
    rows = (vectors[number * DIMENSIONS : (number + 1) * DIMENSIONS] for number in range(len(rules)))
    compiled_rules = [CompiledRule(fields, row) for fields, row in zip(rules, rows, strict=True)]
    return compiled_rules, known if isinstance(known, dict) else {}


def raw_score(rule: CompiledRule, call: Call) -> float:
    """Return how strongly a call touches a rule, before what common words bring."""
    cosine = sum(map(mul, call.vector, rule.vector)) / 127
    values = [weight for stem, weight in rule.stems.items() if stem in call.stems]
    lowered = call.text.lower() if rule.points else ""
    hits = sum(_names(sort, value, lowered) for sort, value in rule.points)
    total = sum(values)
    features = (cosine, total / 10, total / rule.total, max(values, default=0.0) / 6, min(hits, 3) / 3)
    return float(sum(map(mul, WEIGHTS, features)))


def _names(sort: str, value: str, lowered: str) -> bool:
    """Say whether a call's text holds a touch point; of a command, its words in order."""
    value = value.lower()
    if sort == COMMAND:
        at = 0
        for word in value.split():
            at = lowered.find(word, at) + len(word)
            if at < len(word):
                return False
        return True
    return value.rstrip("/*") in lowered if len(value) > 2 else False


def touched(rules: Sequence[CompiledRule], call: Call) -> list[tuple[float, CompiledRule]]:
    """Return the rules that a call touches with their scores, best first."""
    call.read()
    scored = [(raw_score(rule, call) - rule.shift, rule) for rule in rules]
    scored = [pair for pair in scored if pair[0] >= LEAST_SCORE]
    return sorted(scored, key=lambda pair: -pair[0])
