"""A search as a caller asks it, checked before anything is looked for."""

from holdfast.capture.check import check_choice, check_count, check_kind, check_number, check_size
from holdfast.model import kinds, limits
from holdfast.model.search import Query
from holdfast.recall.fitting import check_fits


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
