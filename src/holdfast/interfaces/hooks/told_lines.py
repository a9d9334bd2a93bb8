"""What a session was told: it is not told twice, nor taken for the agent's own words when repeated. Light."""

from holdfast.agents.echo import sentences
from holdfast.interfaces.hooks import marks


def note(folder: str, name: str, ids: "list[str]", texts: "list[str]") -> None:
    """Remember that a session was told these entries."""
    lines = [f"id {entry_id}" for entry_id in ids]
    lines += [f"said {sentence}" for text in texts for sentence in sentences(text)]
    marks.add(folder, name, marks.TOLD, "".join(f"{line}\n" for line in lines))


def begin_anew(folder: str, name: str) -> None:
    """Forget what a session was told: its context was cleared or compacted. What it may repeat is still known.

    Its next prompt is a first one again, for the agent as for the floors of a brief.
    """
    texts = sorted(echoes(folder, name))
    marks.write(folder, name, marks.TOLD, "".join(f"said {text}\n" for text in texts))
    marks.drop(folder, name, marks.PROMPTED)


def ids(folder: str, name: str) -> "frozenset[str]":
    """Return the short ids of what a session was told."""
    return _lines(folder, name, "id ")


def echoes(folder: str, name: str) -> "frozenset[str]":
    """Return the fingerprints of the sentences that a session was told."""
    return _lines(folder, name, "said ")


def _lines(folder: str, name: str, lead: str) -> "frozenset[str]":
    text = marks.read(folder, name, marks.TOLD)
    return frozenset(line.removeprefix(lead) for line in text.splitlines() if line.startswith(lead))
