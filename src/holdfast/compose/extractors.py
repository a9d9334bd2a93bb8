"""What reads sessions that are over, by the settings: the only module that names an extractor."""

import os
from collections.abc import Callable
from pathlib import Path

from holdfast.errors import ConfigError
from holdfast.machine import detached, failures
from holdfast.ports import Extractor
from holdfast.settings.sections import ExtractorConfig

LEARNER = "holdfast.compose.extraction_worker"
"""The process that lets the extractor read what is due."""


def after_session(
    config: ExtractorConfig, root: Path | None, daily: Callable[[], None] | None
) -> Callable[[], None] | None:
    """Return what is done when a session has ended: a backup, and the user's extractor, which nobody waits for."""
    if not config.url or root is None:
        return daily

    def act() -> None:
        if daily:
            daily()
        try:
            detached.start(LEARNER, str(root))
        except OSError as error:
            failures.leave("extract", str(root), error)

    return act


def extractor_of(config: ExtractorConfig) -> Extractor:
    """Make the configured extractor; raise what is wrong with its settings, by name."""
    from holdfast.capture.sessions.chat_extractor import ChatExtractor
    from holdfast.machine.json_endpoint import Address, check_address  # hardly anybody has one

    if not config.model:
        raise ConfigError(key="extractor.model", problem="is needed with extractor.url", origin="the settings")
    url = (config.url or "").rstrip("/")
    try:
        check_address(url)
    except ValueError as error:
        raise ConfigError(key="extractor.url", problem=str(error), origin="the settings") from None
    return ChatExtractor(Address(url, _key(config), config.timeout_ms / 1000), config.model)


def _key(config: ExtractorConfig) -> str | None:
    """Return the key: from the environment, else from its file; None where neither is set."""
    key = os.environ.get(config.key_env, "").strip()
    if not key and config.key_file:
        try:
            key = Path(config.key_file).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            problem = f"cannot be read ({type(error).__name__})"
            raise ConfigError(key="extractor.key_file", problem=problem, origin="the settings") from None
    if key and not (key.isascii() and key.isprintable()):
        raise ConfigError(
            key=f"extractor.{'key_file' if config.key_file else 'key_env'}",
            problem="leads to something that is no key: it has several lines, or letters beyond ASCII",
            origin="the settings",
        )
    return key or None
