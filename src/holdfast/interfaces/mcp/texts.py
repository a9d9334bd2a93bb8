"""The short text beside each structured result: what an agent sees whose client passes on texts only.

Measured with five clients: two show the model the structured result, two the text, one shows both. So a text says
what the result says, in as few words as it can.
"""

from collections.abc import Mapping

from holdfast.interfaces.mcp import results


def search(result: results.SearchResult) -> str:
    """One line a hit."""
    return "\n".join([*map(_hit_line, result.hits), *(result.conflicts or ())]) or "Nothing found."


def timeline(result: results.TimelineResult) -> str:
    """One line and an excerpt an entry."""
    return "\n".join(map(_entry, result.entries))


def memories(result: results.MemoriesResult) -> str:
    """Every memory with what is known of it."""
    unknown = [f"Nothing has the id {memory_id}." for memory_id in result.unknown or ()]
    blocks = [*map(_memory, result.memories), *(result.quotes or ())]
    return "\n\n".join([*blocks, *(result.conflicts or ()), *unknown]) or "Nothing found."


def added(result: results.AddResult) -> str:
    """What became of it."""
    if result.rejected:
        return f"Not remembered: {result.rejected}."
    sentences = [f"{'Remembered as' if result.created else 'Known already as'} {result.id}."]
    if result.quote:
        sentences.append(f"Quote {result.quote}.")
    if result.conflicts:
        sentences += ["Tell the user:", *result.conflicts]
    if result.similar_to:
        sentences.insert(1, f"Similar: {', '.join(result.similar_to)}.")
    if result.proposal:
        sentences.append(_waits(result.proposal, "That it replaces what is the user's"))
    return " ".join(sentences)


def updated(result: results.UpdateResult) -> str:
    """How it stands now."""
    if result.proposal:
        return f"Not changed: {result.why}. {_waits(result.proposal)}"
    if result.superseded_by:
        return f"{result.id} is history; {result.superseded_by} took its place."
    if result.kept:
        return f"Resolved {result.id}: kept {result.kept}."
    return f"{result.id} {result.status}, trust {result.trust}: {result.title}"


def deleted(result: results.DeleteResult) -> str:
    """What was forgotten."""
    if result.proposal:
        return f"Not deleted: {result.why}. {_waits(result.proposal)}"
    waits = " Its last bytes go when another process stops reading." if result.pending else ""
    return f"Forgotten: {', '.join(result.ids)} ({result.account}).{waits}"


def pruned(result: results.PruneResult) -> str:
    """What went, or would."""
    if not result.count:
        return "Nothing to prune."
    ids = f"{', '.join(result.ids)}"
    more = "" if len(result.ids) == result.count else ", …"
    if result.deleted:
        return f"Deleted {result.count}: {ids}{more}."
    return f"{result.count} would go: {ids}{more}. Nothing was deleted; confirm=true deletes them."


def stats(result: results.StatsResult) -> str:
    """The counts on a few lines."""
    lines = [
        f"{result.project}: {result.memories} memories ({_group_text(result.by_kind)}), "
        f"{result.superseded} superseded, {result.expired} expired, {result.faded} faded, "
        f"{result.conflicts} conflicts, {result.user_memories} of the user's own.",
        f"Status: {_group_text(result.by_status)}. Trust: {_group_text(result.by_trust)}. Reads: {result.reads}.",
        f"{result.sessions} sessions, {result.turns} turns, {result.bytes} bytes, vectors by "
        f"{result.model or 'nothing'}, {result.waiting} waiting.",
    ]
    return "\n".join([*lines, *result.problems])


def _waits(proposal: str, subject: str = "It") -> str:
    return f"{subject} waits for the user as proposal {proposal}; they accept or drop it with `holdfast review`."


def _hit_line(hit: results.HitLine) -> str:
    status_text = " candidate" if hit.status == "candidate" else ""
    place = f", session {hit.session}" if hit.session else ""
    line = f"{hit.id} {hit.kind} {hit.date} {hit.score} {hit.trust}{status_text}{place}: {hit.title}"
    return f"{line}\n  {hit.snippet}" if hit.snippet else line


def _entry(entry: results.TimelineLine) -> str:
    mark = "> " if entry.anchor else ""
    text = f"{mark}{entry.id} {entry.kind} {entry.date} {entry.trust}, {entry.status}: {entry.title}"
    return text if entry.excerpt == entry.title else f"{text}\n  {entry.excerpt}"


def _memory(memory: results.FullMemory) -> str:
    facts = [f"{memory.id} {memory.kind} {memory.date}", f"trust {memory.trust}", memory.status, memory.source]
    facts += [f"score {memory.score}"] if memory.score is not None else []
    facts += [f"importance {memory.importance}"]
    facts += [f"tags {' '.join(memory.tags)}"] if memory.tags else []
    facts += [f"files {' '.join(memory.files)}"] if memory.files else []
    facts += [f"branch {memory.branch}"] if memory.branch else []
    facts += [f"expires {memory.expires}"] if memory.expires else []
    facts += [f"SUPERSEDED by {memory.superseded_by}"] if memory.superseded_by else []
    parts = [", ".join(facts)]
    if not memory.content.startswith(memory.title.removesuffix("…")):
        parts.append(memory.title)
    parts.append(memory.content)
    if memory.context:
        parts.append(f"Context: {memory.context}")
    return "\n".join(parts)


def _group_text(groups: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in groups.items()) or "none"
