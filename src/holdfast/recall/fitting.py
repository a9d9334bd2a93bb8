"""Whether a question fits what it is put to: turns and sessions lack some of what memories have."""

from holdfast.errors import InvalidInput
from holdfast.model.search import Query


def check_fits(query: Query) -> None:
    """Refuse a filter by something that only memories have, and a place that has only memories.

    To pass over such a filter would answer another question; to leave turns out would not say so.
    """
    if query.within == "memories":
        return
    if query.scope == "user":
        raise InvalidInput(field="within", problem="only memories are kept in user scope.")
    asked = query.filters
    given = {
        "kinds": asked.kinds,
        "tags": asked.tags,
        "status": asked.statuses,
        "trust": asked.trusts,
        "min_importance": asked.min_importance is not None,
        "sources": asked.sources,
    }
    for field, value in given.items():
        if value:
            problem = f"only memories have that. Leave it out, or search within memories, not {query.within}."
            raise InvalidInput(field=field, problem=problem)
