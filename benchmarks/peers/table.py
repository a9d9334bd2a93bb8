"""The figures as one table in Markdown: a column a memory, a row a measure."""

from collections.abc import Sequence

from benchmarks.peers.environments import Peer
from benchmarks.peers.speed import Failures, Report

SHARES = ("LoCoMo", "talk", "through its hooks", "entries that come back")


def table(peers: Sequence[Peer], report: Report, failures: dict[str, Failures]) -> str:
    """Return the table, and under it what failed."""
    rows = list(dict.fromkeys(measure for figures in report.values() for measure in figures))
    lines = [
        "| | " + " | ".join(f"{peer.name} {peer.version}".strip() for peer in peers) + " |",
        "|---" * (len(peers) + 1) + "|",
        *(
            f"| {measure} | " + " | ".join(cell(measure, report[peer.name].get(measure)) for peer in peers) + " |"
            for measure in rows
        ),
    ]
    for stage, by_peer in failures.items():
        lines += [f"\n{name} failed in {stage}: {problems[0]}" for name, problems in by_peer.items()]
    return "\n".join(lines)


def cell(measure: str, value: float | str | None) -> str:
    """Return a figure with as many digits as it deserves; shares as shares."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value.replace("|", "/")
    if measure.startswith(SHARES):
        return f"{value:.3f}"
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
