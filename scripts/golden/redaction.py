"""Redaction of the labelled lines: each is recorded as a turn, and its kept text is hashed.

A turn is kept as the redactor left it, so the path is a user's: `Holdfast`, a session, `record`. Only digests and
the names in placeholders are written: neither secrets nor texts leave the data folder.
"""

import hashlib
import json
import os
import re
import sys
from pathlib import Path

from holdfast import Holdfast, HoldfastError, SessionHandle
from scripts.golden import clock
from scripts.golden.answers import Plain

_PLACEHOLDER = re.compile(r"\[REDACTED:[^\]\n]*\]")
PART = 64
"""Turns of a session: a store with one endless session is not what a user has."""


def answers(data: Path, place: Path) -> dict[str, Plain]:
    """Record every line of every file; return digests and placeholders by file and line."""
    os.environ |= {"HOLDFAST_EMBEDDING_MODEL": "none", "HOLDFAST_CAPTURE_AUTO": "false"}
    project = place / "redaction"
    project.mkdir()
    kept: dict[str, Plain] = {}
    with Holdfast.open(project, project="redaction") as memory:
        for file in sorted((data / "redaction").glob("*.jsonl")):
            texts = [
                str(json.loads(line)["text"]) for line in file.read_text(encoding="utf-8").split("\n") if line
            ]
            for first in range(0, len(texts), PART):
                clock.advance(60_000)
                session = memory.start_session(agent="golden", ref=f"{file.stem}/{first}")
                for number, text in enumerate(texts[first : first + PART], first):
                    kept[f"{file.stem}:{number}"] = _kept(session, text, f"{file.stem}:{number}")
    return kept


def _kept(session: SessionHandle, text: str, ref: str) -> Plain:
    try:
        turn = session.record("user", text, ref=ref)
    except HoldfastError as error:
        return type(error).__name__
    found = " ".join(_PLACEHOLDER.findall(turn.text))
    same = "same" if turn.text == text else "changed"
    return f"{hashlib.sha256(turn.text.encode('utf-8', 'surrogatepass')).hexdigest()[:20]} {same} {found}".rstrip()


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    hashed = answers(Path(options["data"]), Path(options["place"]))
    Path(options["target"]).write_text(json.dumps({"redaction": hashed}), encoding="utf-8")
