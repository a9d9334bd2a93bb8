"""What `status` says: where one stands, on one screen."""

from collections.abc import Mapping

from holdfast.model.brief import Health
from holdfast.model.care import BackupState
from holdfast.model.inbox import Waits
from holdfast.model.records import Counts, StoreState
from holdfast.model.upkeep import UpkeepState
from holdfast.model.value import Value


class ConfigFile(Value, kw_only=True):
    """A settings file, whether it is there, and how far it is obeyed."""

    origin: str
    path: str
    exists: bool
    vouched: bool
    """Whether the user wrote it or vouched for it; if not, only its harmless keys count."""


class Server(Value, kw_only=True):
    """The server that keeps memory, as it may be shown."""

    url: str
    """Its address, without a password."""
    tenant: str
    reachable: bool
    schema: int | None
    """None when it could not be asked, or when nothing is there yet."""


class Status(Value, kw_only=True):
    """Where one stands: the project, its store and the user's own, what is off, pending or ignored."""

    project: str
    root: str
    branch: str | None
    commit: str | None
    place: str
    """Where the store is, or would be."""
    store: StoreState | None
    """None when there is no store yet, or when it cannot be opened."""
    counts: Counts | None
    waits: Waits | None
    """What waits for a person, in both stores."""
    user: StoreState | None
    user_counts: Counts | None
    problem: str | None
    """Why the store cannot be opened."""
    off: str | None
    """Why nothing is remembered just now."""
    backup: BackupState | None
    pending: tuple[str, ...]
    """Work that waits for something."""
    config_files: tuple[ConfigFile, ...]
    ignored_settings: tuple[str, ...]
    versions: Mapping[str, str]
    briefs: Health | None = None
    """How fast the latest briefs were."""
    extractor: str | None = None
    """The server that reads sessions, where the user named one."""
    last_failure: str | None = None
    """What last went wrong while an agent was waiting; it was not told."""
    upkeep: UpkeepState | None = None
    user_upkeep: UpkeepState | None = None
    server: Server | None = None
    """None where memory is kept in a file."""
