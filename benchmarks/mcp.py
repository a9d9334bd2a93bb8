"""What the MCP server costs: until it answers, in memory, and in tokens a question.

Start-up is measured as a client sees it, from starting the process to reading the answer, in turn with a bare
interpreter. Tokens are word pieces of the bundled model's tokenizer, of what a client shows its model.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from tokenizers import Tokenizer

import holdfast.embedding.minilm
from benchmarks import data
from benchmarks.texts import notes, questions
from holdfast.interfaces.arguments import read
from holdfast.interfaces.mcp.snapshot import CAPABILITIES_KEY, VERSION_KEY
from holdfast.interfaces.mcp.tool import to_structured
from holdfast.interfaces.mcp.tools import get, search
from holdfast.interfaces.mcp.values import GetArguments, SearchArguments
from holdfast.model.requests import Draft
from holdfast.service.service import Service
from holdfast.storage.open import open_service

ROUNDS = 15
ENTRIES = 400
ASKED = 100
READ, SHOWN = 2, 10

Figures = dict[str, float]
Message = dict[str, Any]


def run() -> Figures:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = place
        return {**_startup(Path(place) / "started"), **_economy(Path(place))}


# ── start-up ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _startup(project: Path) -> Figures:
    project.mkdir()
    spent: dict[str, list[float]] = {}
    for number in range(ROUNDS + 1):
        for era in ("initialize", "server/discover"):
            for name, value in {**_bare(), **_session(project, era)}.items():
                if number:  # the first round warms the caches
                    spent.setdefault(name, []).append(value)
    return {
        f"{name}, {word}": measure(values)
        for name, values in spent.items()
        for word, measure in (("median", statistics.median), ("least", min))
    }


def _bare() -> Figures:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=_environment())
    return {"bare python, start to end: ms": (time.perf_counter() - begun) * 1000}


def _session(project: Path, opening: str) -> Figures:
    """Open a connection, list the tools, call one, search by meaning, and leave."""
    begun = time.perf_counter()
    program = str(Path(sys.executable).with_name("holdfast"))
    process = subprocess.Popen(
        [program, "mcp", "--project", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=_environment(),
    )
    figures: Figures = {}

    def ask(what: str, method: str, **params: object) -> None:
        assert process.stdin
        assert process.stdout
        request = {"jsonrpc": "2.0", "id": what, "method": method, "params": _params(opening, method, params)}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        assert "result" in json.loads(process.stdout.readline()), what
        figures[f"{opening}: ms to the answer of {what}"] = (time.perf_counter() - begun) * 1000

    ask(opening, opening)
    ask("tools/list", "tools/list")
    figures[f"{opening}: ms CPU until then"] = _cpu_ms(process.pid)
    ask("the first call", "tools/call", name="memory_add", arguments={"content": "Back off before trying again"})
    figures[f"{opening}: MB before the model"] = _resident_mb(process.pid)
    ask("the first search", "tools/call", name="memory_search", arguments={"query": "retry policy"})
    figures[f"{opening}: MB after"] = _resident_mb(process.pid)
    left = time.perf_counter()
    process.communicate()
    figures[f"{opening}: ms to end"] = (time.perf_counter() - left) * 1000
    return figures


def _params(opening: str, method: str, params: Message) -> Message:
    if opening == "initialize":
        introduction = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "bench", "version": "1"}}
        return {**introduction, "capabilities": {}} if method == opening else params
    return {**params, "_meta": {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}}


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _economy(place: Path) -> Figures:
    """Compare searching and reading two of ten with reading all ten."""
    count = _counter()
    figures: Figures = {}
    for name, texts, asked in _stores():
        project = place / name.replace(" ", "-")
        project.mkdir()
        service = open_service(project, actor="bench", embed_on_add=False)
        service.add_many([Draft(content=text) for text in dict.fromkeys(texts)])
        figures |= {f"{name}: {what}": value for what, value in _token_figures(service, asked, count).items()}
        service.close()
    return figures


def _stores() -> Iterator[tuple[str, Iterable[str], Iterable[str]]]:
    """Yield stores by name: their texts, and what they are asked."""
    yield "notes", notes(ENTRIES), questions(ASKED)
    folder = data.folder()
    if not folder:
        return
    code = data.cosqa(folder)
    yield (
        "functions",
        (text for _, text in islice(code.notes, ENTRIES)),
        (one.text for one in code.questions[:ASKED]),
    )
    chats = data.longmemeval(folder)
    said = (turn.text for talk in chats.talks for turn in talk.turns if turn.speaker == "assistant" and turn.text)
    yield "answers of an assistant", islice(said, ENTRIES), (one.text for one in chats.questions[:ASKED])


def _token_figures(service: Service, asked: Iterable[str], count: Callable[[str], int]) -> Figures:
    rows = [row for text in asked if (row := _question(service, text, count))]
    hits, layered, whole = (statistics.mean(column) for column in zip(*rows, strict=True))
    return {
        "tokens of a hit": hits / SHOWN,
        f"tokens of search and {READ} of {SHOWN} in full": layered,
        f"tokens of all {SHOWN} in full": whole,
        "ratio": whole / layered,
    }


def _question(service: Service, text: str, count: Callable[[str], int]) -> Sequence[int]:
    """Return the tokens of the hits, of hits and two memories, of ten memories; empty where ten are not found."""
    found = search.act(service, read({"query": text, "limit": SHOWN, "mode": "keyword"}, SearchArguments))
    if len(found.hits) < SHOWN:
        return ()

    def full(number: int) -> int:
        ids = tuple(hit.id for hit in found.hits[:number])
        return count(_wire(get.act(service, GetArguments(ids=ids))))

    hits = count(_wire(found))
    return hits, hits + full(READ), full(SHOWN)


def _wire(result: object) -> str:
    return json.dumps(to_structured(result), ensure_ascii=False, separators=(",", ":"))


def _counter() -> Callable[[str], int]:
    tokenizer = Tokenizer.from_file(str(Path(holdfast.embedding.minilm.__file__).with_name("tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def show(figures: Figures, out: TextIO) -> None:
    """Print the figures."""
    out.write(f"the MCP server, {ROUNDS} rounds of each era; tokens over {ASKED} questions\n")
    for name, value in figures.items():
        out.write(f"  {name:<72} {value:8.1f}\n")
