"""The size of the house: counts of code, files, tests, settings and prose, beside the limits they must keep.

    python -m scripts.house [--json] [--quick] [--root DIR]

`count` has the numbers that are read from files, `traced` those that need a process; `LIMITS` is the one table of
limits, which tests/house/test_size.py holds. A limit is lowered when its number has come down.
"""

LIMITS: dict[str, float] = {
    "code lines of src": 45_100,
    "files of src": 355,
    "units at the top": 21,
    "run-time dependencies": 14,
    "settings": 95,
    "error classes": 51,
    "store port methods": 135,
    "code lines of tests": 47_100,
    "docs pages": 51,
    "decision records": 56,
    "docstrings that open with a question word, %": 16,
    "who, whose, whoever, whatever, somebody, nobody per 1,000 words": 6.8,
    "files run by the second add": 62,
    "files run by a session's end": 103,
    "test items": 4_200,
}
"""The most that each number may be; the names are those that the report prints."""
