"""Whether a question fits what it is put to: turns and sessions lack some of what memories have."""

from holdfast.errors import InvalidInput
from holdfast.model.kinds import KNOWN
from holdfast.model.search import Query


def only_memories(query: Query) -> bool:
    """Say whether nothing but memories can pass: by a filter that only they have, or by where they are kept."""
    return query.scope == "user" or any(_of_memories_alone(query).values())


def check_fits(query: Query) -> None:
    """Refuse a filter by something that only memories have, and a place that has only memories.

    To pass over such a filter would answer another question; to leave turns out would not say so. Who did not say
    where to look is answered with memories.
    """
    if query.within in ("memories", KNOWN):
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
