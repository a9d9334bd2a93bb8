"""What the server counts, for Prometheus. No label names a tenant or an entry.

`prometheus_client` is imported when a server is made: the Python client of the server shares this package.
"""

import collections
import contextlib
from collections.abc import Iterator
from functools import partial

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
