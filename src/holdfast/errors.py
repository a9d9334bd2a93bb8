"""Every error holdfast raises. Nothing is imported here, so any layer and the hooks may use it.

HoldfastError
├── InvalidInput            a caller's value that cannot be used; names the field
│   ├── UnknownKind
│   ├── AmbiguousId
│   └── SameContent
├── UnknownId               no memory, session, turn or conflict has that id
├── PinLimitReached
├── NotRedacted             a text that could not be checked for secrets; it was not stored
├── ConfigError             a setting that cannot be used; names the key and the file
└── StoreError              the store cannot do what was asked
    ├── NotAStore           the file is something else, and is left alone
    ├── StoreDamaged
    ├── StoreBusy
    ├── StoreUnwritable     read-only, full, or not ours to write
    ├── StoreTooNew
    └── UnsafePath          a symlink where a store's own file should be

The docstring of a class is the message a person reads: what happened, and what to do.
"""


class HoldfastError(Exception):
    """Something went wrong in holdfast."""

    def __init__(self, **facts: object) -> None:
        self.facts = facts
        template = type(self).__doc__ or type(self).__name__
        super().__init__(" ".join(template.format(**facts).split()))


class InvalidInput(HoldfastError):
    """{field}: {problem}"""

    @property
    def field(self) -> str:
        """The name of the argument, flag or column that cannot be used."""
        return str(self.facts.get("field", ""))


class UnknownKind(InvalidInput):
    """kind: {kind!r} is not a kind of memory{suggestion}. Use one of: {kinds}."""

    @property
    def field(self) -> str:
        return "kind"


class AmbiguousId(InvalidInput):
    """{field}: {id!r} fits more than one entry ({matches}). Give more of its last digits."""


class SameContent(InvalidInput):
    """content: memory {id} already says this. Forget one of the two, or supersede it instead."""

    @property
    def field(self) -> str:
        return "content"


class UnknownId(HoldfastError):
    """No {noun} has the id {id!r}. `holdfast list` and `holdfast search` show the ids there are."""


class PinLimitReached(HoldfastError):
    """{limit} memories are pinned already, which is the most a brief always carries. Unpin one first."""


class NotRedacted(HoldfastError):
    """The text could not be checked for secrets ({problem}), so nothing was stored. Please report this bug."""


class ConfigError(HoldfastError):
    """{key}: {problem} (in {origin})"""


class StoreError(HoldfastError):
    """The store {path} failed: {problem}. `holdfast stats` shows its state."""


class NotAStore(StoreError):
    """{path} is not a holdfast store ({problem}). It was left untouched; move it away or set store.path."""


class StoreDamaged(StoreError):
    """The store {path} is damaged ({problem}). Nothing was changed; restore it from a copy."""


class StoreBusy(StoreError):
    """The store {path} stayed locked by another process for {seconds} s. Nothing was written; try again."""


class StoreUnwritable(StoreError):
    """The store {path} cannot be written: {problem}. Nothing was changed; free space or fix permissions."""


class StoreTooNew(StoreError):
    """The store {path} has schema {version}, this holdfast knows {known}. Upgrade holdfast to use it."""


class UnsafePath(StoreError):
    """{path} is a {problem}; holdfast does not follow it. Remove it, or set store.path to the real place."""
