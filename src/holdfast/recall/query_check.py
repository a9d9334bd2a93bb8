"""A search as a caller asks it, checked before anything is looked for: what cannot be meant, and what does not fit
where it is looked for. Turns and sessions lack some of what memories have.
"""

from holdfast.capture.check import check_choice, check_count, check_kind, check_number, check_size
from holdfast.errors import InvalidInput
from holdfast.model import kinds, limits
from holdfast.model.search import Query


def check_query(query: Query) -> None:
    """Refuse a query that cannot be meant; the error names the field."""
    check_size("query", query.text, limits.CONTENT_BYTES)
    check_count("limit", query.limit, 1, 1_000)
    check_choice("mode", query.mode, kinds.MODES)
    check_choice("within", query.within, kinds.TARGETS)
    check_fits(query)
    for kind in query.filters.kinds:
        check_kind(kind)
    for status in query.filters.statuses:
        check_choice("status", status, kinds.STATUSES)
    check_number("min_importance", query.filters.min_importance)
    check_size("file", query.filters.file or "", limits.PATH_CHARS * 4)
    check_size("contains", query.filters.contains or "", limits.CONTENT_BYTES)


def only_memories(query: Query) -> bool:
    """Say whether nothing but memories can pass: by a filter that only they have, or by where they are kept."""
    return query.scope == "user" or any(_of_memories_alone(query).values())


def check_fits(query: Query) -> None:
    """Refuse a filter by something that only memories have, and a place that has only memories.

    To pass over such a filter would answer another question; to leave turns out would not say so. Who did not say
    where to look is answered with memories.
    """
    if query.within in ("memories", kinds.KNOWN):
        return
    if query.scope == "user":
        raise InvalidInput(field="within", problem="only memories are kept in user scope.")
    for field, value in _of_memories_alone(query).items():
        if value:
            problem = f"only memories have that. Leave it out, or search within memories, not {query.within}."
            raise InvalidInput(field=field, problem=problem)


def _of_memories_alone(query: Query) -> dict[str, object]:
    filters = query.filters
    return {
        "kinds": filters.kinds,
        "tags": filters.tags,
        "status": filters.statuses,
        "trust": filters.trusts,
        "min_importance": filters.min_importance is not None,
        "sources": filters.sources,
    }
