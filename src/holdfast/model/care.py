"""What comes of looking after a store: backups, restores, stores taken over, what `doctor` and `status` say."""

from collections.abc import Mapping

from msgspec import Struct, field

from holdfast.model.brief import Health
from holdfast.model.inbox import Waits
from holdfast.model.records import Counts, RuleTotals, StoreState, UpkeepState

OK, WARNING, PROBLEM = "ok", "warning", "problem"
"""How bad a diagnosis is."""


class Contents(Struct, frozen=True, kw_only=True):
    """What a store's file holds, for comparing a copy with it."""

    store_id: str
    project: str
    schema: int
    memories: int
    sessions: int
    turns: int
    tombstones: int
    events: int


class Backup(Struct, frozen=True, kw_only=True):
    """A copy of a store."""

    path: str
    store_id: str
    taken_at: int
    label: str
    """Why it was made: `manual`, `auto`, or `migration`."""
    bytes: int


class BackupState(Struct, frozen=True, kw_only=True):
    """How a store's backups are doing."""

    newest: Backup | None
    count: int
    failure: str | None
    """What went wrong with the last automatic one, if it did."""
    behind: int = 0
    """How many copies were made before something was forgotten, and may still hold it."""


class Restored(Struct, frozen=True, kw_only=True):
    """What a restore did."""

    place: str
    backup: str
    set_aside: str | None
    """Where the store that was there is now."""
    memories: int
    removed: int
    """Memories of the backup that had been forgotten since, and so were left out."""
    passed_over: tuple[str, ...] = ()
    """Newer backups that could not be used, each with the reason."""


class Trusted(Struct, frozen=True, kw_only=True):
    """What was taken over from a store that was not made here, and what was left."""

    place: str
    own: bool
    dry_run: bool
    set_aside: str | None
    memories: int
    duplicates: int = 0
    sessions: int = 0
    turns: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    """How many rows were left, by reason."""


class Diagnosis(Struct, frozen=True):
    """What one check found."""

    name: str
    severity: str
    message: str
    advice: str = ""


class Checkup(Struct, frozen=True, kw_only=True):
    """Everything `doctor` found, and what it repaired."""

    place: str
    diagnoses: tuple[Diagnosis, ...]
    repaired: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """What a repair could not bring back; it is in the file that was set aside."""

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong; warnings are allowed."""
        return all(diagnosis.severity != PROBLEM for diagnosis in self.diagnoses)


class ConfigFile(Struct, frozen=True, kw_only=True):
    """A settings file, whether it is there, and how far it is obeyed."""

    origin: str
    path: str
    exists: bool
    vouched: bool
    """Whether the user wrote it or vouched for it; if not, only its harmless keys count."""


class Server(Struct, frozen=True, kw_only=True):
    """The server that keeps memory, as it may be shown."""

    url: str
    """Its address, without a password."""
    tenant: str
    reachable: bool
    schema: int | None
    """None when it could not be asked, or when nothing is there yet."""


class Status(Struct, frozen=True, kw_only=True):
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
    settings_problems: tuple[str, ...]
    """What of the settings cannot be used, each with its file and line: its default is shown."""
    settings_doubts: tuple[str, ...]
    """What is wrong with settings where it stops nobody."""
    hooks_off: str | None
    """Why hooks make no store here."""
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
    agents: tuple[str, ...] = ()
    """Who is connected: for the user, and for this project."""
    rules: RuleTotals | None = None
    """How rules were kept at the act."""
