"""Searching as a verb: the question cleaned and given its vector, stores asked, a second look where one is set.

Also the words that a project uses for each other; searches and briefs ask for them, too (`recall.stand_ins`).
Must not live here: how hits are found and ordered (`recall`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from holdfast.capture.check import check_name, project_path, visible
from holdfast.capture.text.clean import Cleaner, normalise, quote
from holdfast.errors import InvalidInput, NotRedacted
from holdfast.model import kinds
from holdfast.model.requests import SearchRequest
from holdfast.model.search import Filters, Hit, Query
from holdfast.model.vectors import MEMORY, TURN, VECTOR_TARGETS, QuestionVector
from holdfast.ports import Reranker, Store
from holdfast.recall.channels import Question
from holdfast.recall.hits import with_threads
from holdfast.recall.ranking import opinions_on
from holdfast.recall.search import check_query, search
from holdfast.service.access_log import may_keep_queries
from holdfast.service.scopes import EVERYWHERE, Scopes
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.service.parts import ServiceParts

SECOND_LOOK = 20
"""Hits that a reranker is shown at least: it reads question and text together, and takes its time for each."""

READ_CHARS = 2_000
"""Characters of a text that it is shown."""

_BOTH = dict.fromkeys((kinds.KNOWN, "all"), VECTOR_TARGETS)


class Searcher:
    """Searches the stores of a service."""

    def __init__(self, parts: ServiceParts) -> None:
        self._scopes, self._embeddings, self._settings = parts.scopes, parts.embeddings, parts.settings
        self._accesses, self._clock = parts.accesses, parts.clock

    def search(self, request: SearchRequest) -> list[Hit]:
        """Find; titles and snippets, not contents."""
        query, now = self._query(request)
        words = self._clean_query(query.text)
        hits, may_keep_query = self._find(query, words, now)
        return self._log_search(query, hits, words if may_keep_query else None, now)

    def glance(self, request: SearchRequest) -> list[Hit]:
        """Find without leaving a trace, as somebody types: nobody asked for half a word. Only the question is
        embedded."""
        query, now = self._query(request)
        return self._find(query, self._clean_query(query.text), now, writable=False)[0]

    def recall(self, request: SearchRequest) -> list[Hit]:
        """Find what is to be shown in full; a reranker, where one is set, has the last word on its order."""
        query, now = self._query(request)
        reranker = self._settings.reranker
        words = self._clean_query(query.text) if reranker else None
        if reranker is None or not words:
            return self.search(request)
        candidates, may_keep_query = self._find(replace(query, limit=max(query.limit, SECOND_LOOK)), words, now)
        hits = self._rerank(reranker, words, candidates)[: query.limit]
        return self._log_search(query, hits, words if may_keep_query else None, now)

    def _query(self, request: SearchRequest) -> tuple[Query, int]:
        now = self._clock.now()
        query = request.at(now)
        check_query(query)
        return query, now

    def _find(self, query: Query, words: str | None, now: int, *, writable: bool = True) -> tuple[list[Hit], bool]:
        """Return the hits, and whether the query may be kept; all of it one transaction of each store."""
        filters = self.stored_filters(query.filters, now)
        current = replace(query, text=normalise(query.text), filters=filters)
        if not any(letter.isalnum() for letter in current.text):
            return [], False  # a vector of signs alone is near to whatever is short
        with self._transaction(query) as stores:
            meaning, is_known = self._meaning(current, words, stores, writable=writable, at_hand=True)
            if is_known:
                return self._ask(current, meaning, stores, now)
        meaning, _ = self._meaning(current, words, stores, writable=writable)
        with self._transaction(query) as stores:
            return self._ask(current, meaning, stores, now)

    @contextlib.contextmanager
    def _transaction(self, query: Query) -> Iterator[list[Store]]:
        """Hold one transaction of each store that a search is about; of those elsewhere each read is one."""
        with contextlib.ExitStack() as transactions:
            transactions.enter_context(self._scopes.project.reading())
            own_stores = self._scopes.present if query.scope == EVERYWHERE else self._scopes.within(query.scope)
            for store in own_stores:
                transactions.enter_context(store.reading())
            yield own_stores

    def _ask(
        self, query: Query, meaning: QuestionVector | None, own_stores: Sequence[Store], now: int
    ) -> tuple[list[Hit], bool]:
        everywhere = query.scope == EVERYWHERE
        question = Question(
            query=query,
            vector=meaning.vector if meaning else None,
            model=self._embeddings.model,
            encoder=meaning.encoder if meaning else "",
            aliases=self._scopes.project.aliases.all(),
        )
        stores = self._scopes.within(query.scope) if everywhere else own_stores
        hits = search(question, stores, self._settings.ranking(), self._places() if everywhere else ())
        return with_threads(hits, stores), may_keep_queries(own_stores, now)

    def _log_search(self, query: Query, hits: list[Hit], words: str | None, now: int) -> list[Hit]:
        """Note what is shown; what is looked at from elsewhere nobody there has asked for."""
        if query.scope != EVERYWHERE:
            self._accesses.log_search(hits, now, words)
        return hits

    def _rerank(self, reranker: Reranker, words: str, hits: list[Hit]) -> list[Hit]:
        """Return hits in the order of a second opinion; where none is to be had, the order they have stands."""
        opinions = opinions_on(self._texts(hits), words, reranker)
        if opinions is None:
            return hits
        ranked_hits = [
            replace(hit, why={**hit.why, "rerank": round(opinion, 4)})
            for hit, opinion in zip(hits, opinions, strict=True)
        ]
        return sorted(ranked_hits, key=lambda hit: -hit.why["rerank"])

    def _texts(self, hits: Sequence[Hit]) -> list[str]:
        ids = [hit.id for hit in hits]
        texts = {memory.id: memory.content for store in self._scopes.present for memory in store.memories.get(ids)}
        texts |= {turn.id: turn.text for turn in self._scopes.project.turns.get(ids)}
        return [texts.get(hit.id, hit.title)[:READ_CHARS] for hit in hits]

    def _clean_query(self, query: str) -> str | None:
        """Return a query as a log or an embedder may see it; None where it cannot be cleaned."""
        with contextlib.suppress(NotRedacted):
            return self._settings.cleaner.text(query)
        return None

    def _meaning(
        self,
        query: Query,
        words: str | None,
        stores: Sequence[Store],
        *,
        writable: bool,
        at_hand: bool = False,
    ) -> tuple[QuestionVector | None, bool]:
        """Return the query's vector, None where only words count, and whether that is the last word on it.

        `at_hand`: only what can be had inside a transaction.
        """
        if query.mode == "keyword" or not words:
            return None, True
        targets = (_BOTH | {"memories": (MEMORY,)}).get(query.within, (TURN,))
        clean_query, writable = replace(query, text=words), writable and not self._settings.off()
        if at_hand:
            return self._embeddings.question_at_hand(clean_query, targets, stores, writable=writable)
        return self._embeddings.question(clean_query, targets, stores, writable=writable), True

    def _places(self) -> Sequence[str | None]:
        """Return where the project of each store lies; the user's own memories are of none."""
        rest = [scope.place for scope in self._scopes.others]
        root = self._settings.root
        return [str(root) if root else None, *(None for _ in self._scopes.present[1:]), *rest]

    def stored_filters(self, filters: Filters, now: int | None) -> Filters:
        """Return a caller's filters in the form that stores keep things in."""
        cleaner = self._settings.cleaner
        file = visible("file", normalise(filters.file)) if filters.file else None
        return replace(
            filters,
            tags=tuple(visible("tags", cleaner.label(tag)) for tag in filters.tags),
            file=project_path(self._settings.root, file) if file else None,
            contains=visible("contains", normalise(filters.contains)) if filters.contains else None,
            current_at=now,
        )


class ProjectAliases:
    """Words that a project uses for each other."""

    def __init__(self, scopes: Scopes, cleaner: Cleaner, check_on: Callable[[], None]) -> None:
        self._scopes = scopes
        self._cleaner = cleaner
        self._check_on = check_on

    def all(self) -> dict[str, tuple[str, ...]]:
        """Return every word with what else it is called."""
        return self._scopes.project.aliases.all()

    @again
    def add(self, word: str, meanings: Sequence[str]) -> int:
        """Let a word also be called otherwise; return how many of that is new."""
        self._check_on()
        pairs = [(self._word("word", word), self._word("meaning", meaning)) for meaning in meanings]
        if any(clean_word == clean_meaning for clean_word, clean_meaning in pairs):
            raise InvalidInput(field="meaning", problem="is the word itself. Give another word.")
        store = self._scopes.project
        with store.writing():
            return sum(store.aliases.add(*pair) for pair in pairs)

    @again
    def remove(self, word: str, meanings: Sequence[str] = ()) -> int:
        """Let go of what a word is also called, or of some of it; return how many there were."""
        self._check_on()
        clean_word = self._word("word", word)
        clean_meanings: list[str | None] = [self._word("meaning", meaning) for meaning in meanings]
        store = self._scopes.project
        with store.writing():
            return sum(store.aliases.remove(clean_word, meaning) for meaning in clean_meanings or [None])

    def _word(self, field: str, text: str) -> str:
        """Return a single word as it is kept: in lower case, and not where it looks like a secret."""
        check_name(field, text)
        word = self._cleaner.label(text).lower()
        if word != " ".join(text.split()).lower() or len(word.split()) != 1:
            raise InvalidInput(field=field, problem=f"{quote(text)} must be a single plain word.")
        return word
