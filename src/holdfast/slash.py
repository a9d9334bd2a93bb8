"""Slash commands, the same in every agent: one text in, one text out; and whether a person typed them.

The files in `agents/*/commands/` make them commands of each agent. Agents run those with their own marks in the
environment; that alone does not tell who asked. Clients that tell a hook of the prompt first (Claude Code,
Codex) leave a proof: a recorded turn of the user. The commands about single memories are `/remember`, `/forget`
and `/pin`; `/memory` has words. The lines that show what waits for the user are the same at a terminal, in a
chat and for agents themselves. Nothing here knows which agent or interface asks.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from holdfast.capture.forget_command import SIGN, opens
from holdfast.capture.text.clean import echo, quote
from holdfast.errors import InvalidInput, Proposed, UnknownId
from holdfast.model.finding import PRESETS
from holdfast.model.ids import is_full_id, tail_of
from holdfast.model.inbox import (
    ACCEPTED,
    CONFLICT,
    DROPPED,
    EDITED,
    KEPT,
    PROPOSAL,
    RESOLVE,
    SUPERSEDE,
    UNDONE,
    Inbox,
    InboxItem,
    Quotation,
    Settlement,
    Side,
)
from holdfast.model.kinds import AGENT, CANDIDATE, IMPORTED, KINDS, PINNED, TOOL, USER
from holdfast.model.memory import BOTH, Memory, line, shorten
from holdfast.model.requests import Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.model.times import day, iso
from holdfast.service.service import Service
from holdfast.storage.settings import as_text, change, in_force, report
from holdfast.storage.status import status_of

FORGET = "forget"
"""The command that is not recorded: what is kept of it is a seal."""
WITHIN_MS = 600_000
"""How long ago it may have been typed: an agent that runs it itself may work on something else first."""

SOURCE = "slash"
MOST_CHOICES = 5


class SlashCommand(Struct, frozen=True):
    """A line as typed, taken apart: which command, and the rest."""

    command: str
    rest: str

    @property
    def creates(self) -> bool:
        """Whether it may make a store where there is none."""
        return self.command == "remember"


def parse(text: str) -> SlashCommand:
    """Take a line apart; the slash may be left out."""
    name, _, rest = text.strip().removeprefix("/").partition(" ")
    if name not in COMMANDS:
        command_names = ", ".join(f"/{command}" for command in COMMANDS)
        raise InvalidInput(field="command", problem=f"{quote(name)} is not one. There are: {command_names}.")
    return SlashCommand(name, rest.strip())


def run(slash_command: SlashCommand, service: Service, directory: Path) -> str:
    """Do what was typed; return what to say, also where it waits for the user because an agent asked for it."""
    try:
        return COMMANDS[slash_command.command](service, directory, slash_command.rest)
    except Proposed as waits:
        return str(waits)


def proven(service: Service, command_line: str) -> bool:
    """Say whether the user typed this line lately, and it was not run before; it counts as run then."""
    slash_command = parse(command_line)
    comparable_rest = service.user_words.comparable(slash_command.rest)
    begins = re.compile(rf"{SIGN}{slash_command.command}(?=\s|$)", re.MULTILINE)
    for seal in service.user_words.seals(WITHIN_MS) if slash_command.command == FORGET else ():
        if opens(seal, comparable_rest) and service.user_words.take_seal(seal, slash_command.command):
            return True
    for turn in service.user_words.turns(WITHIN_MS):
        rests = [turn.text[opening.end() :] for opening in begins.finditer(turn.text)]
        is_said = any(service.user_words.comparable(rest) == comparable_rest for rest in rests)
        if is_said and service.user_words.take(turn, slash_command.command):
            return True
    return False


def remember(service: Service, text: str) -> str:
    """Keep a text, confirmed at once."""
    if not text:
        raise InvalidInput(field="text", problem="is missing. Say what to remember: /remember TEXT.")
    result = service.add(Draft(content=text, source=SOURCE, trust=USER))
    if result.id is None:
        return f"Not remembered: {result.rejected}."
    memory, short = service.peek(result.id), service.short_id(result.id)
    if memory and memory.status == CANDIDATE:
        return (
            f"Noted as {short}, unconfirmed, because an agent asked for it. `holdfast confirm {short}` settles it."
        )
    return f"{'Remembered as' if result.created else 'Known already as'} {short}."


def forget(service: Service, text: str) -> str:
    """Remove the one memory with an id, or that holds a text."""
    memory = _resolve_memory(service, text, "forget")
    if isinstance(memory, str):
        return memory
    short = service.short_id(memory.id)
    result = service.forget(memory.id)
    backup_note = (
        " Backups still hold it: `holdfast forget --backups` takes it out of them." if result.backups else ""
    )
    also = f" Said too by {', '.join(map(service.short_id, result.similar))}." if result.similar else ""
    waits = " Its last bytes go when another process stops reading." if result.pending else ""
    # not its words: what is said here is recorded
    return f"Forgotten {short}: {result.account}.{also}{backup_note}{waits}"


def pin(service: Service, text: str) -> str:
    """Put the one memory with an id, or that holds a text, into every brief; or take it out again."""
    memory = _resolve_memory(service, text, "pin")
    if isinstance(memory, str):
        return memory
    is_pinned = memory.status == PINNED
    result = service.unpin(memory.id) if is_pinned else service.pin(memory.id)
    return f"{'Unpinned' if is_pinned else 'Pinned'} {service.short_id(result.id)}: {line(result.title)}"


def _resolve_memory(service: Service, text: str, command: str) -> Memory | str:
    """Return the memory that is meant, or what to say when that is not certain: nothing is done on a guess."""
    if not text:
        raise InvalidInput(field="id", problem=f"is missing. Say which: /{command} ID, or words that it holds.")
    if is_full_id(text) or tail_of(text):
        memory = service.peek(text)
        if memory is None:
            raise UnknownId(noun="memory", id=echo(text), near=service.near_id(text))
        return memory
    holding = service.list(Filters(contains=text), MOST_CHOICES)
    if len(holding) == 1:
        return holding[0]
    candidates = holding or _similar_memories(service, text)
    if not candidates:
        return f"No memory is about {quote(text)}. Nothing was changed."
    choices = "\n".join(
        f"{service.short_id(candidate.id)} {candidate.kind} {day(candidate.created_at)} {line(candidate.title)}"
        for candidate in candidates
    )
    return f"Which one? Nothing was changed; say /{command} ID.\n{choices}"


def _similar_memories(service: Service, text: str) -> list[Memory]:
    hits = service.search(SearchRequest(query=text, limit=MOST_CHOICES))
    return [memory for hit in hits if (memory := service.peek(hit.id))]


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


def memory_words(service: Service, directory: Path, text: str) -> str:
    """Do what the first word says; without one, say where one stands."""
    word, _, rest = text.partition(" ")
    if (word or "status") not in WORDS:
        known_words = ", ".join(WORDS)
        raise InvalidInput(
            field="/memory", problem=f"{quote(word)} is not one of its words. There are: {known_words}."
        )
    return WORDS[word or "status"](service, directory, rest.strip())


def _status(service: Service, directory: Path, _: str) -> str:
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


def _list_newest(service: Service, _: Path, kind: str) -> str:
    """Show the newest, of one kind or of all."""
    if kind and kind not in KINDS:
        raise InvalidInput(field="kind", problem=f"{quote(kind)} is not one. There are: {', '.join(KINDS)}.")
    memories = service.list(Filters(kinds=(kind,) if kind else ()), MOST_SHOWN)
    lines = [
        f"{service.short_id(entry.id)} {entry.kind} {day(entry.created_at)} {entry.status}: {line(entry.title)}"
        for entry in memories
    ]
    return "\n".join(lines) or "Nothing remembered yet."


def _search(service: Service, _: Path, query: str) -> str:
    """Find, with scores."""
    if not query:
        raise InvalidInput(field="query", problem="is missing. Say what to look for: /memory search QUERY.")
    lines = [
        f"{service.short_id(hit.id)} {hit.kind} {day(hit.created_at)} {hit.score:.2f} {hit.trust}: "
        f"{line(hit.title)}"
        for hit in service.search(SearchRequest(query=query))
    ]
    return "\n".join(lines) or "Nothing found."


def _budget(service: Service, directory: Path, tokens: str) -> str:
    """Set the most tokens that a brief of this project may have, take that back, or say what it is."""
    if tokens:
        _change_setting(service, directory, CEILING, None if tokens in ("none", "off") else tokens)
    setting = in_force(directory, CEILING)
    most = "no ceiling of yours" if setting.value is None else f"at most {setting.value} tokens ({setting.origin})"
    return f"Briefs have {most}."


def _alias(service: Service, _: Path, text: str) -> str:
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


def _auto(service: Service, directory: Path, state: str) -> str:
    """Turn what is remembered by itself on or off for this project, or say which it is."""
    if state not in ("", *SWITCH):
        raise InvalidInput(field="/memory auto", problem=f"{state!r} is not one. There are: {', '.join(SWITCH)}.")
    if state:
        _change_setting(service, directory, AUTO, SWITCH[state])
    setting = in_force(directory, AUTO)
    return f"Findings and promotion are {'on' if setting.value else f'off ({setting.where or setting.origin})'}."


def _config(service: Service, directory: Path, text: str) -> str:
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
    "status": _status,
    "review": lambda service, _, rest: review(service, rest),
    "list": _list_newest,
    "search": _search,
    "budget": _budget,
    "alias": _alias,
    "auto": _auto,
    "config": _config,
    "learn": lambda service, directory, rest: LEARN,
}

COMMANDS: dict[str, Callable[[Service, Path, str], str]] = {
    "remember": lambda service, _, rest: remember(service, rest),
    "forget": lambda service, _, rest: forget(service, rest),
    "pin": lambda service, _, rest: pin(service, rest),
    "memory": memory_words,
}


MOST_ITEMS = 10
"""Items shown in a chat; `holdfast review` goes through all of them."""

_FORMS = "accept ID, drop ID, edit ID TEXT, keep ID newer|older|both|ID, undo"
_HOW = "Settle them with /memory review accept|drop|edit|keep ID, or one by one in a terminal: holdfast review."
CONTENT_CHARS = 600
"""Characters of a memory that are shown to decide about it; `holdfast get` shows all of it."""


def review(service: Service, text: str) -> str:
    """List what waits, or settle one thing of it."""
    verb, _, rest = text.partition(" ")
    if not verb:
        return _list_items(service)
    first, _, more = rest.strip().partition(" ")
    return settlement_line(_settle(service, verb, first, more.strip()))


def _settle(service: Service, verb: str, item_id: str, more: str) -> Settlement:
    if verb == "undo":
        return service.review.undo(item_id or None)
    if item_id and verb in ("accept", "drop") and not more:
        return service.review.accept(item_id) if verb == "accept" else service.review.drop(item_id)
    if item_id and more and verb in ("edit", "keep"):
        return service.review.edit(item_id, more) if verb == "edit" else service.review.keep(item_id, more)
    problem = f"{quote(f'{verb} {item_id} {more}'.strip())} is not one of its forms. There are: {_FORMS}."
    raise InvalidInput(field="/memory review", problem=problem)


def _list_items(service: Service) -> str:
    inbox = service.review.inbox(MOST_ITEMS)
    if not inbox.items:
        return "Nothing waits for you."
    return "\n".join([*inbox_lines(inbox), _HOW])


def head(item: InboxItem) -> str:
    """Say in one line what waits and why."""
    asks = f"{item.by} asks to {item.verb} it" if item.sort == PROPOSAL else item.why
    why = f" ({item.why})" if item.sort == PROPOSAL else ""
    return line(f"{item.sort} {item.short}: {asks}{why}")


def details(item: InboxItem) -> Iterator[str]:
    """Say what it is about: each memory with who said it, when, and the words it was read from."""
    for number, side in enumerate(item.sides, 1):
        label = f"[{number}] " if item.sort == CONFLICT else ""
        age = (", the newer" if side.newer else ", the older") if item.sort == CONFLICT else ""
        yield line(
            f"{label}{_role(item, number)}{side.kind} #{side.short}, {_speaker(side)} on {day(side.said_at)}{age}"
        )
        yield f"    {line(shorten(side.content, CONTENT_CHARS))}"
        yield from (f"    {_quotation_line(quotation)}" for quotation in side.quotations)
    yield from _proposal_lines(item)


def _speaker(side: Side) -> str:
    """Say whose word a memory is."""
    names = {
        USER: f"said by {side.user}",
        AGENT: f"noted by {side.agent or 'an agent'}",
        TOOL: "from a tool's output",
        IMPORTED: f"taken in from {side.source}",
    }
    return names[side.trust]


def inbox_lines(inbox: Inbox) -> list[str]:
    """Return everything that is listed, and how much is not."""
    lines = [text for item in inbox.items for text in (head(item), *(f"  {detail}" for detail in details(item)))]
    remaining_count = inbox.total - len(inbox.items)
    more = [f"{remaining_count:,} more wait."] if remaining_count > 0 else []
    return lines + more


def settlement_line(settlement: Settlement) -> str:
    """Say in one line what came of a decision."""
    outcomes = {
        (CANDIDATE, ACCEPTED): "Confirmed",
        (CANDIDATE, EDITED): "Confirmed in your words",
        (CANDIDATE, DROPPED): "Dropped",
        (CONFLICT, KEPT): "Kept",
        (CONFLICT, EDITED): "Settled in your words",
        (CONFLICT, DROPPED): "Dropped both",
        (PROPOSAL, ACCEPTED): f"Done ({settlement.verb})",
        (PROPOSAL, EDITED): f"Done in your words ({settlement.verb})",
        (PROPOSAL, DROPPED): f"Not done ({settlement.verb})",
    }
    if settlement.kept == BOTH:
        return "Both stand."
    outcome = "Waits again" if settlement.outcome == UNDONE else outcomes[settlement.sort, settlement.outcome]
    return line(f"{outcome}: {settlement.title}" if settlement.title else f"{outcome}.")


def _role(item: InboxItem, number: int) -> str:
    if item.sort != PROPOSAL or len(item.sides) == 1:
        return ""
    return "of this: " if number == 1 else "and this: "


def _quotation_line(quotation: Quotation) -> str:
    where = f"{quotation.role}, {day(quotation.at)}, {quotation.agent} session {quotation.session_short}"
    return line(f"“{quotation.text}” ({where})")


def _proposal_lines(item: InboxItem) -> Iterator[str]:
    """Say what a proposal would do."""
    if item.verb == SUPERSEDE:
        yield "would become: the second takes the place of the first"
    elif item.verb == RESOLVE:
        keep = str(item.arguments.get("keep", ""))
        kept_title = next((side.title for side in item.sides if side.id == keep), BOTH)
        yield line(f"would become: keep {kept_title}")
    else:
        yield from (line(f"would become: {name}: {_shown_value(value)}") for name, value in item.arguments.items())


def _shown_value(value: object) -> str:
    """Return what a field would be, shortened."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(text, CONTENT_CHARS)
