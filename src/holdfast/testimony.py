"""What the user said lately, and whether some words stand in it.

Lives here: the turns of persons, those that hooks left in the spool and those that are in the store, and how their
words are compared. It proves that a command was typed; words that are passed on as the user's are proven the same
way. A turn is proof of one thing once, so that nobody repeats in the user's name what they said a minute ago.
"""

from pathlib import Path
from typing import NamedTuple

from holdfast import spool
from holdfast.again import again
from holdfast.capture.clean import Cleaner
from holdfast.capture.normalise import as_words
from holdfast.digest import digest
from holdfast.model.kinds import PERSON_ROLES
from holdfast.model.refs import session_ref
from holdfast.model.session import Turn
from holdfast.ports import Clock, Store
from holdfast.scopes import Scopes

SESSIONS = 20
"""Of the newest sessions, how many are looked at."""

TURNS = 400
"""Of each, how many of the last turns: most are the answers of tools."""

_CLAIM = "proof"
_TYPED = "typed-"
"""Under which name a store notes the seal of a command that was not recorded."""


class UserTurn(NamedTuple):
    """Something that a person said to an agent."""

    key: str
    """What it is known by, in the spool and in the store alike."""
    text: str
    at: int
    session: str
    """The ref of its session, or, where it has none, its id."""


def note_seal(store: Store, sealed: str, at: int) -> None:
    """Note in a transaction that a command was typed which is not recorded."""
    store.spooled.claim(f"{_TYPED}{sealed}", 0, at)


class Testimony:
    """The user's own words."""

    def __init__(self, scopes: Scopes, clock: Clock, root: Path | None, cleaner: Cleaner) -> None:
        self._scopes = scopes
        self._clock = clock
        self._root = root
        self._cleaner = cleaner

    def turns(self, within_ms: int) -> list[UserTurn]:
        """Return what the user said in the last while, the newest first, each turn once."""
        since = self._clock.now() - within_ms
        said = {turn.key: turn for turn in (*self._stored(since), *self._spooled()) if turn.at >= since}
        return sorted(said.values(), key=lambda turn: turn.at, reverse=True)

    def find(self, words: str, within_ms: int) -> UserTurn | None:
        """Return the latest turn in which the user said these words, as words: case, blanks and signs apart."""
        wanted = as_words(self._cleaner.text(words))
        if not wanted:
            return None
        return next((turn for turn in self.turns(within_ms) if f" {wanted} " in f" {as_words(turn.text)} "), None)

    def comparable(self, words: str) -> str:
        """Return words as those of turns are compared; what may not be kept is taken out of both."""
        return as_words(self._cleaner.text(words))

    def take(self, turn: UserTurn, use: str) -> bool:
        """Use a turn as proof of something; return whether it was not used for that before."""
        return self.take_seal(turn.key, use)

    @again
    def take_seal(self, sealed: str, use: str) -> bool:
        """Use a seal as proof of something; return whether it was not used for that before."""
        store = self._scopes.project
        with store.writing():
            return store.spooled.claim(f"{_CLAIM}-{digest(f'{use} {sealed}')[:32]}", 0, self._clock.now())

    def seals(self, within_ms: int) -> list[str]:
        """Return the seals of commands to forget that the user typed in the last while: they are no turns."""
        since = self._clock.now() - within_ms
        noted = [(name, at) for name, _, at in self._scopes.project.spooled.noted() if name.startswith(_TYPED)]
        found = {name.removeprefix(_TYPED): at for name, at in noted}
        for entry in spool.waiting(str(self._root), without="tool") if self._root else []:
            sealed, at = entry.get("seal"), entry.get("at")
            if isinstance(sealed, str) and isinstance(at, int):
                found[sealed] = at
        return [sealed for sealed, at in found.items() if at >= since]

    def _stored(self, since: int) -> list[UserTurn]:
        store = self._scopes.project
        recent = [one for one in store.sessions.newest(None, SESSIONS) if (one.last_turn_at or 0) >= since]
        refs = {session.id: session.ref or session.id for session in recent}
        return [
            UserTurn(turn.ref or f"{turn.at}:{turn.text}", turn.text, turn.at, refs[turn.session])
            for turn in _last_turns(store, list(refs))
            if turn.role.lower() in PERSON_ROLES
        ]

    def _spooled(self) -> list[UserTurn]:
        found = []
        for entry in spool.waiting(str(self._root), without="tool") if self._root else []:
            role, text, at = entry.get("role"), entry.get("text"), entry.get("at")
            if isinstance(role, str) and role.lower() in PERSON_ROLES and isinstance(text, str):
                at = at if isinstance(at, int) else 0
                key = entry.get("ref")
                session = session_ref(str(entry.get("client", "")), str(entry.get("session", "")))
                found.append(UserTurn(key if isinstance(key, str) else f"{at}:{text}", text, at, session))
        return found


def _last_turns(store: Store, sessions: list[str]) -> list[Turn]:
    return store.turns.get(store.turns.last(sessions, TURNS)) if sessions else []
