"""A connection: HTTP/1.1 as uvicorn speaks it, with an end to a client that never finishes its headers, or takes
nothing of its answer."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.interfaces.http.app import App


class Connection(H11Protocol):
    """One client. uvicorn waits for ever for the rest of a request's headers, and for a reader; this does not."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self._deadline: asyncio.TimerHandle | None = None
        self._reader_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._relax()
        else:
            self._expect()

    def on_response_complete(self) -> None:
        self._relax()
        super().on_response_complete()
        if self.conn.trailing_data[0]:  # the beginning of a next request came with the last
            self._expect()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        self._leave_reader()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._relax()
        self._leave_reader()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Finish what is under way; a stream of events is told that this is the end."""
        self._holdfast_app.stopping.set()
        super().shutdown()

    def _expect(self) -> None:
        """Give the client so long for the headers that it has begun."""
        if self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self._holdfast_app.limits.patience_s, self._too_slow)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _watch_reader(self) -> None:
        """Give the client so long to take something of what waits for it."""
        buffer_size = self.transport.get_write_buffer_size()
        self._reader_timer = self.loop.call_later(
            self._holdfast_app.limits.patience_s, self._still_reading, buffer_size
        )

    def _still_reading(self, before: int) -> None:
        if self.transport.get_write_buffer_size() < before:
            self._watch_reader()
        else:
            self._reader_timer = None
            self.transport.abort()

    def _leave_reader(self) -> None:
        if self._reader_timer is not None:
            self._reader_timer.cancel()
            self._reader_timer = None

    def _too_slow(self) -> None:
        self._deadline = None
        self.transport.abort()

    @property
    def _holdfast_app(self) -> App:
        assert isinstance(self.app, App)  # noqa: S101 - it was made by `serve`
        return self.app
