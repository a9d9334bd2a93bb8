"""`/memory`: status, review, list, search, budget, alias, auto, config, learn; each a word after the command."""

from collections.abc import Callable
from pathlib import Path

from holdfast.capture.text.clean import quote
from holdfast.compose.settings import as_text, change, in_force, report
from holdfast.compose.status import status_of
from holdfast.errors import InvalidInput
from holdfast.model.display import line
from holdfast.model.finding import PRESETS
from holdfast.model.kinds import KINDS
from holdfast.model.requests import SearchRequest
from holdfast.model.search import Filters
from holdfast.model.times import day, iso
from holdfast.service.service import Service
from holdfast.slash import inbox

MOST_SHOWN = 20
AUTO, PRESET, CEILING = "capture.auto", "capture.preset", "brief.ceiling"
SWITCH = {"on": "true", "off": "false"}

LEARN = """The user ran /memory learn: do this now, and nothing else.

Go through what the user said in this session, from its beginning. Note what a colleague would have to know next
time: rules, preferences, decisions, corrections, facts that the code does not show. Leave out orders of work,
status, questions, thanks, what was pasted, and what only you said.

For each, one call of `memory_add` (or `holdfast add TEXT --quote WORDS`), at most ten:
- content: one sentence that stands alone, with its reason;
- quote: the user's exact words, four or more in a row, copied from their message.
Where a later word changed an earlier one, note the later one only. Where the answer says that a quote proves
nothing, copy the words again, or leave it.

Then tell the user what you noted, one line each."""
"""What an agent is asked to do with a whole session. The words are ours, and never the user's."""


def memory(service: Service, directory: Path, text: str) -> str:
    """Do what the first word says; without one, say where one stands."""
    word, _, rest = text.partition(" ")
    if (word or "status") not in WORDS:
        words = ", ".join(WORDS)
        raise InvalidInput(field="/memory", problem=f"{quote(word)} is not one of its words. There are: {words}.")
    return WORDS[word or "status"](service, directory, rest.strip())


def status(service: Service, directory: Path, _: str) -> str:
    """Say what there is, of what kind, and whether all is well."""
    overview, counts = status_of(directory), service.stats().counts
    kinds = ", ".join(f"{kind} {number}" for kind, number in counts.by_kind.items())
    lines = [
        f"{overview.project}: {counts.memories} memories{f' ({kinds})' if kinds else ''}, "
        f"{counts.by_status.get('pinned', 0)} pinned, {counts.by_status.get('candidate', 0)} unconfirmed, "
        f"{counts.superseded} superseded.",
        f"{counts.sessions} sessions with {counts.turns} turns.",
        f"Memory is {f'off: {overview.off}' if overview.off else 'on'}.",
    ]
    waits = overview.waits.total if overview.waits else 0
    lines += [f"{waits} {'waits' if waits == 1 else 'wait'} for you: /memory review."] if waits else []
    lines += [overview.problem] if overview.problem else []
    lines += [f"Pending: {pending_text}." for pending_text in overview.pending]
    lines += _last_brief_lines(service)
    return "\n".join(lines)


def _last_brief_lines(service: Service) -> list[str]:
    """Say what went into the last brief."""
    for record in service.briefs.receipts(1):
        ids = ", ".join(f"{item.kind} #{item.id[-8:]}" for item in record.items) or "nothing"
        return [
            f"Last injected ({record.agent}, {iso(record.at)}): {ids}; {record.tokens} of {record.budget} tokens."
        ]
    return []


def review(service: Service, _: Path, text: str) -> str:
    """Show what waits for the user, or settle it."""
    return inbox.review(service, text)


def list_newest(service: Service, _: Path, kind: str) -> str:
    """Show the newest, of one kind or of all."""
    if kind and kind not in KINDS:
        raise InvalidInput(field="kind", problem=f"{quote(kind)} is not one. There are: {', '.join(KINDS)}.")
    memories = service.list(Filters(kinds=(kind,) if kind else ()), MOST_SHOWN)
    lines = [
        f"{service.short_id(entry.id)} {entry.kind} {day(entry.created_at)} {entry.status}: {line(entry.title)}"
        for entry in memories
    ]
    return "\n".join(lines) or "Nothing remembered yet."


def search(service: Service, _: Path, query: str) -> str:
    """Find, with scores."""
    if not query:
        raise InvalidInput(field="query", problem="is missing. Say what to look for: /memory search QUERY.")
    lines = [
        f"{service.short_id(hit.id)} {hit.kind} {day(hit.created_at)} {hit.score:.2f} {hit.trust}: "
        f"{line(hit.title)}"
        for hit in service.search(SearchRequest(query=query))
    ]
    return "\n".join(lines) or "Nothing found."


def budget(service: Service, directory: Path, tokens: str) -> str:
    """Set the most tokens that a brief of this project may have, take that back, or say what it is."""
    if tokens:
        _change_setting(service, directory, CEILING, None if tokens in ("none", "off") else tokens)
    setting = in_force(directory, CEILING)
    most = "no ceiling of yours" if setting.value is None else f"at most {setting.value} tokens ({setting.origin})"
    return f"Briefs have {most}."


def alias(service: Service, _: Path, text: str) -> str:
    """Show, add or remove words that this project uses for each other."""
    act, *words = text.split() or ["list"]
    if act == "list":
        own = service.aliases.all()
        return "\n".join(f"{word}: {', '.join(meanings)}" for word, meanings in own.items()) or "No aliases yet."
    if act not in ("add", "remove") or len(words) < (2 if act == "add" else 1):
        usage = "list, add WORD MEANING…, remove WORD [MEANING…]"
        raise InvalidInput(
            field="/memory alias", problem=f"{quote(text)} is not one of its forms. There are: {usage}."
        )
    count = (service.aliases.add if act == "add" else service.aliases.remove)(words[0], words[1:])
    return f"{count} {'added' if act == 'add' else 'removed'}."


def auto(service: Service, directory: Path, state: str) -> str:
    """Turn what is remembered by itself on or off for this project, or say which it is."""
    if state not in ("", *SWITCH):
        raise InvalidInput(field="/memory auto", problem=f"{state!r} is not one. There are: {', '.join(SWITCH)}.")
    if state:
        _change_setting(service, directory, AUTO, SWITCH[state])
    setting = in_force(directory, AUTO)
    return f"Findings and promotion are {'on' if setting.value else f'off ({setting.where or setting.origin})'}."


def config(service: Service, directory: Path, text: str) -> str:
    """Show what is set, one setting, or set one for this project; a preset of promotion needs no key."""
    key, value = [*text.split(maxsplit=1), "", ""][:2]
    if key in PRESETS and not value:
        key, value = PRESET, key
    if not key:
        own_settings = [setting for setting in report(directory).settings if setting.origin != "default"]
        return (
            "\n".join(f"{setting.key} = {as_text(setting.shown)} ({setting.origin})" for setting in own_settings)
            or "All as by default."
        )
    if value:
        _change_setting(service, directory, key, value.strip())
    setting = in_force(directory, key)
    return f"{key} = {as_text(setting.value) or 'none'} ({setting.origin})"


def _change_setting(service: Service, directory: Path, key: str, value: str | None) -> None:
    """Set something for this project; what somebody else wrote into its settings is not taken over on the way."""
    service.check_person("changing settings")
    change(directory, key, value, user=False, agreed=lambda keys: False)


WORDS: dict[str, Callable[[Service, Path, str], str]] = {
    "status": status,
    "review": review,
    "list": list_newest,
    "search": search,
    "budget": budget,
    "alias": alias,
    "auto": auto,
    "config": config,
    "learn": lambda service, directory, rest: LEARN,
}
