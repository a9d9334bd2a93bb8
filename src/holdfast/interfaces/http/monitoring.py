"""The log and the metrics of a server.

The log is one JSON object a line on standard error: never an address as it was asked for, nor a body. No label of
a metric names a tenant or an entry. `prometheus_client` is imported when a server is made: the Python client
imports this module too.
"""

import collections
import contextlib
import json
import logging
import sys
import time
from collections.abc import Iterator
from functools import partial

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


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
IN_FLIGHT, STREAMS = GAUGES = ("requests_in_flight", "event_streams")


class Metrics:
    """The counters of one server, in a registry of its own."""

    def __init__(self) -> None:
        import prometheus_client as prometheus

        prometheus.disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no annotations
        self._registry = prometheus.CollectorRegistry()
        self._requests = prometheus.Counter(
            "holdfast_requests",
            "Requests answered, by operation and status.",
            ["operation", "status"],
            registry=self._registry,
        )
        self._seconds = prometheus.Histogram(
            "holdfast_request_seconds",
            "How long answers took, by operation.",
            ["operation"],
            buckets=BOUNDS,
            registry=self._registry,
        )
        self.now: collections.Counter[str] = collections.Counter()
        for name in GAUGES:
            gauge = prometheus.Gauge(f"holdfast_{name}", "How many there are now.", registry=self._registry)
            gauge.set_function(partial(self.now.__getitem__, name))
        self.text = partial(prometheus.generate_latest, self._registry)

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(operation, status).inc()
        self._seconds.labels(operation).observe(seconds)

    @contextlib.contextmanager
    def counted(self, gauge: str) -> Iterator[None]:
        """Count a request or a stream while it lasts."""
        self.now[gauge] += 1
        try:
            yield
        finally:
            self.now[gauge] -= 1
