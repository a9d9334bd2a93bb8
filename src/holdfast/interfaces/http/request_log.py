"""The server's log: one JSON object a line on standard error. Never an address as it was asked for, nor a body."""

import json
import logging
import sys
import time

NAME = "holdfast.http"
_FIELDS = ("method", "operation", "status", "ms", "token", "tenant", "error", "frames")


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"
        line = {"at": at, "level": record.levelname.lower(), "event": record.getMessage().strip()}
        line |= {name: record.__dict__[name] for name in _FIELDS if record.__dict__.get(name) is not None}
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__  # its text may hold content
        return json.dumps(line)


def configure(level: int = logging.INFO) -> None:
    """Let our log, and that of the server beneath, go to standard error in lines of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    for name, least in ((NAME, level), ("uvicorn", level), ("mcp", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(least)
        logger.propagate = False
    logging.getLogger("uvicorn.access").disabled = True


def note(event: str, **facts: object) -> None:
    """Write one line; what is not one of the known facts is left out."""
    logging.getLogger(NAME).info(event, extra={name: facts[name] for name in _FIELDS if name in facts})
