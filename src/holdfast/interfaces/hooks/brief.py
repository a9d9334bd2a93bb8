"""The brief of a hook: what memory has for the start of a session, or on its prompt. Light.

Read from the stores by words alone, and from the spool, so that a session that starts at once sees what the last
one said. What a tool said is never told. Nothing relevant, nothing told.
"""

import json
import os
import time

from holdfast import spool
from holdfast.hearing.moments import TOOL_ROLE
from holdfast.interfaces.hooks import weighing
from holdfast.interfaces.hooks.page import Page, entry
from holdfast.interfaces.hooks.reading import project_store, user_store
from holdfast.model.refs import session_ref

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from holdfast.hearing.moments import Moment
    from holdfast.interfaces.hooks.reading import Found, Reading
    from holdfast.recall.brief.render import Entry
    from holdfast.stores.sqlite.connection import Row

PINS, CHOSEN, FROM_ONE_SESSION = 5, 5, 2
POOL, TURN_POOL, LATEST_RULES, RULES_AMONG, FINDINGS = 30, 12, 100, 1_000, 20
NEAR_BEST = 0.5
RECENT_MS, BRIDGE_MS = 3 * 86_400_000, 86_400_000
TURN_CHARS = 600
SAID = 5
"""Sentences of the spool that are told at most."""

LEAST_CHARS = 20
"""Shorter sentences say nothing without the ones around them."""

UNCONFIRMED = "unconfirmed"
MAIN_BRANCHES = frozenset(("main", "master", "trunk", "default", "develop"))


class Asked:
    """What a brief is for: the session that asks, and the prompt, if there is one."""

    __slots__ = ("client", "known", "now", "prompt", "root", "session", "words")

    def __init__(self, client: str, moment: "Moment", root: str, prompt: str, known: "frozenset[str]") -> None:
        self.client = client
        self.session = moment.session
        self.root = root
        self.prompt = prompt
        self.words = weighing.telling(prompt) if prompt else {}
        self.known = known
        """The short ids that this session was told already."""
        self.now = int(time.time() * 1000)

    @property
    def ref(self) -> str:
        """What the session is called in the store."""
        return session_ref(self.client, self.session)


def make(asked: Asked, page: Page, database: str) -> str:
    """Return the text of a brief."""
    stores = [store for store in (project_store(database), user_store()) if store]
    try:
        said = said_elsewhere(asked)
        if asked.prompt:
            _on_prompt(asked, page, stores, said)
        else:
            _on_start(asked, page, stores, said)
        page.conflicts(_conflicts(asked, page, stores))
    finally:
        for store in stores:
            store.close()
    return page.text()


def _on_start(asked: Asked, page: Page, stores: "list[Reading]", said: "list[Entry]") -> None:
    page.tier("always", "always", _new(asked, _pinned(asked, stores)))
    page.tier("bridge", "bridge", _new(asked, said + _findings(asked, stores)))
    page.tier("retrieval", "start", _new(asked, _rules(asked, stores)))
    page.tier("summaries", "summaries", _new(asked, _summary(asked, stores)))


def _on_prompt(asked: Asked, page: Page, stores: "list[Reading]", said: "list[Entry]") -> None:
    page.tier("always", "always", _new(asked, _pinned(asked, stores)))
    about = [one for one in _findings(asked, stores) if _shares_words(asked, one.text)]
    page.tier("bridge", "bridge", _new(asked, said + about))
    page.tier("retrieval", "retrieval", _new(asked, _relevant(asked, stores)))


def _new(asked: Asked, entries: "list[Entry]") -> "list[Entry]":
    """Leave out what this session was told before, and what is said twice."""
    seen: set[str] = set()
    kept = []
    for one in entries:
        words = " ".join(one.text.lower().split())
        if one.ref not in asked.known and words not in seen:
            seen.add(words)
            kept.append(one)
    return kept


def _pinned(asked: Asked, stores: "list[Reading]") -> "list[Entry]":
    rows = [row for store in stores for row in store.rows("hook_pinned", now=asked.now, limit=PINS)]
    return [_memory(row) for row in rows[:PINS]]


def _relevant(asked: Asked, stores: "list[Reading]") -> "list[Entry]":
    """Return what is worth telling on a prompt, best first: memories of all stores, and turns of the project's."""
    if not asked.words or not stores:
        return []
    floor = weighing.floor_of(asked.prompt)
    scored = _memories(asked, stores, floor) + _turns(asked, stores[0], floor)
    best = max((worth for worth, _, _, _ in scored), default=0.0)
    scored = [one for one in scored if one[0] >= NEAR_BEST * best]
    chosen: list[Entry] = []
    sessions: list[str] = []
    for _, _, session, one in sorted(scored, key=lambda row: -row[1]):
        if session and sessions.count(session) >= FROM_ONE_SESSION:
            continue
        sessions.append(session)
        chosen.append(one)
    return chosen[:CHOSEN]


def _memories(asked: Asked, stores: "list[Reading]", floor: float) -> "list[tuple[float, float, str, Entry]]":
    found = [store.memories(asked.words, asked.now, POOL) for store in stores]
    weights = _weights(found)
    scored = []
    for store, candidates in zip(stores, found, strict=True):
        relevance = {str(row[0]): weighing.relevance(weights, often) for row, often in candidates.rows}
        for row in store.rows("hook_memories", ids=json.dumps(list(relevance)), now=asked.now):
            kind, status, trust = str(row[1]), str(row[7]), str(row[6])
            worth = relevance[str(row[0])] * weighing.KINDS.get(kind, 1.0)
            if worth < floor:
                continue
            score = worth * weighing.STATUSES.get(status, 1.0) * weighing.TRUSTS.get(trust, 0.0)
            score *= weighing.recency(asked.now - _int(row[5]), kind) * weighing.read_often(_int(row[8]))
            scored.append((worth, score, str(row[10] or ""), _memory(row)))
    return scored


def _turns(asked: Asked, store: "Reading", floor: float) -> "list[tuple[float, float, str, Entry]]":
    """Return what was said in other sessions, where it sounds settled."""
    found = store.turns(asked.words, asked.ref, TURN_POOL)
    weights = _weights([found])
    scored = []
    for row, often in found.rows:
        worth = weighing.relevance(weights, often)
        telling = _telling(asked, str(row[3])) if worth >= floor else ""
        if telling:
            trust = "user" if row[2] == "user" else "agent"
            one = entry(str(row[0]), "turn", _int(row[4]), trust, telling, (UNCONFIRMED,))
            scored.append(
                (worth, worth * weighing.recency(asked.now - _int(row[4]), "decision"), str(row[5]), one)
            )
    return scored


def _telling(asked: Asked, text: str) -> str:
    """Return the sentences of a turn that settle something or are about the prompt; none when none settles."""
    said = weighing.sentences(text)
    settled = [sentence for sentence in said if weighing.settles(sentence)]
    if not settled:
        return ""
    about = [sentence for sentence in said if sentence in settled or _shares_words(asked, sentence)]
    return " ".join(about)[:TURN_CHARS]


def _weights(found: "list[Found]") -> "list[float]":
    documents = sum(one.documents for one in found)
    counts = [sum(column) for column in zip(*(one.counts for one in found), strict=True)]
    return weighing.shares(counts, documents)


def _findings(asked: Asked, stores: "list[Reading]") -> "list[Entry]":
    """Return what other sessions found in the last day; what was taken back or only considered is not told."""
    if not stores:
        return []
    rows = stores[0].rows("hook_findings", since=asked.now - BRIDGE_MS, ref=asked.ref, limit=FINDINGS)
    return [
        entry(str(row[0]), str(row[1]), _int(row[3]), "agent", str(row[2]), (UNCONFIRMED,))
        for row in rows
        if not {"hypothesis", "retracted", "recapped"} & set(_list(row[4]))
        and row[1] not in ("file_change", "error")
    ]


def _rules(asked: Asked, stores: "list[Reading]") -> "list[Entry]":
    """Return rules about what is being worked on: files that were changed lately, or the branch."""
    rows = [
        row
        for store in stores
        for row in store.rows("hook_rules", now=asked.now, limit=LATEST_RULES, among=RULES_AMONG)
    ]
    branch = _branch(asked.root)
    recent: dict[str, bool] = {}
    kept = [row for row in rows if row[7] != "pinned" and _touches(row, asked, branch, recent)]
    return [_memory(row) for row in kept[:CHOSEN]]


def _touches(row: "Row", asked: Asked, branch: str, recent: "dict[str, bool]") -> bool:
    if branch and branch not in MAIN_BRANCHES and row[11] == branch:
        return True
    for file in _list(row[9])[:5]:
        if file not in recent and len(recent) < LATEST_RULES:
            recent[file] = _changed_lately(os.path.join(asked.root, file), asked.now)
        if recent.get(file):
            return True
    return False


def _changed_lately(path: str, now: int) -> bool:
    try:
        return now - os.stat(path).st_mtime * 1000 < RECENT_MS
    except (OSError, ValueError):
        return False


def _branch(root: str) -> str:
    from holdfast.checkout import read_text

    head = read_text(os.path.join(root, ".git", "HEAD"))
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else ""


def _summary(asked: Asked, stores: "list[Reading]") -> "list[Entry]":
    rows = stores[0].rows("hook_summary", ref=asked.ref) if stores else []
    return [entry(str(row[0]), "session", _int(row[2]), "agent", str(row[1])) for row in rows]


def said_elsewhere(asked: Asked) -> "list[Entry]":
    """Return what was said in other sessions and is not in the store yet: rules, or what the prompt is about."""
    found: list[tuple[int, int, Entry]] = []
    for one in spool.waiting(asked.root, without=TOOL_ROLE):
        role, text, at = one.get("role"), one.get("text"), one.get("at")
        own = (one.get("client"), one.get("session")) == (asked.client, asked.session)
        if own or role not in ("user", "assistant") or not isinstance(text, str):
            continue
        for sentence in weighing.sentences(text):
            weight = weighing.settles(sentence)
            if weight and len(sentence) >= LEAST_CHARS and (not asked.prompt or _shares_words(asked, sentence)):
                trust = "user" if role == "user" else "agent"
                ref = str(one.get("ref", ""))[-8:]
                found.append((_int(at), weight, entry(ref, "turn", _int(at), trust, sentence, (UNCONFIRMED,))))
    found.sort(key=lambda row: (-row[1], -row[0]))
    return [one for _, _, one in found[:SAID]]


def _shares_words(asked: Asked, text: str) -> bool:
    """Say whether a text has enough words in common with the prompt."""
    shared = asked.words.keys() & weighing.telling(text).keys()
    return len(shared) >= min(2, len(asked.words))


def _conflicts(asked: Asked, page: Page, stores: "list[Reading]") -> "list[str]":
    """Say which of the memories on the page somebody contradicts."""
    lines = []
    for store in stores:
        for row in store.rows("hook_conflicts", now=asked.now):
            first, second = (str(row[place]).replace("-", "")[-8:] for place in (0, 2))
            if {first, second} & set(page.told):
                sides = [
                    f'Entry #{ref} says "{_short(str(says))}"' for ref, says in ((first, row[1]), (second, row[3]))
                ]
                lines.append(f"[⚠ CONFLICT] {sides[0]} but {sides[1]}. Verify which is current.")
    return lines


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"


def _memory(row: "Row") -> "Entry":
    title, content = str(row[2]), str(row[3])
    text = content if content.startswith(title.rstrip("…")) else f"{title}: {content}"
    marks = (UNCONFIRMED,) if row[7] == "candidate" else ()
    return entry(str(row[0]), str(row[1]), _int(row[4]), str(row[6]), text, marks)


def _list(value: object) -> "list[str]":
    try:
        found = json.loads(value) if isinstance(value, str) else []
    except ValueError:
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0
