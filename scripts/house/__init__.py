"""The size of the house: counts of code, files, tests, settings and prose, beside the limits they must keep.

    python -m scripts.house [--json] [--quick] [--root DIR]

`count` has the numbers that are read from files, `traced` those that need a process; `LIMITS` is the one table of
limits, which tests/house/test_size.py holds. A limit is lowered when its number has come down.
"""

LIMITS: dict[str, float] = {
    "code lines of src": 51_926,
    "files of src": 541,
    "units at the top": 21,
    "run-time dependencies": 17,
    "settings": 95,
    "error classes": 51,
    "store port methods": 128,
    "code lines of tests": 44_044,
    "docs pages": 48,
    "decision records": 60,
    "docstrings that open with a question word, %": 17.7,
    "who, whose, whoever, whatever, somebody, nobody per 1,000 words": 7.6,
    "files run by the second add": 99,
    "files run by a session's end": 135,
    "test items": 10_823,
}
"""The most that each number may be; the names are those that the report prints."""
