"""Every error holdfast raises. Nothing is imported here, so any layer and the hooks may use it.

HoldfastError
├── InvalidInput            a caller's value that cannot be used; names the field
│   ├── UnknownKind
│   ├── AmbiguousId
│   ├── SameContent
│   └── UnusableFile        something to import that cannot be read as it stands; names the line
├── UnknownId               no memory, session, turn or conflict has that id
├── PinLimitReached
├── Proposed                an agent asked for what only a person can grant; it waits as a proposal
├── PersonNeeded            an agent asked for what is not even proposed: settings, tokens, whole stores
├── NotRedacted             a text that could not be checked for secrets; it was not stored
├── SwitchedOff             memory is paused or disabled, and a write was asked for
├── GitFailed               git is missing, or refused to answer
├── ConfigError             a setting that cannot be used; names the key and the file
├── AgentFileUnusable       a file of a coding agent that cannot be read or changed; it was left as it is
├── ExtractorFailed         the user's extractor gave no notes: the session is read later
├── EmbeddingFailed         no vectors: never fails a write, is kept as the reason why something waits
│   ├── ModelUnusable       a package or a file of a model or of the judge is missing or damaged
│   ├── EndpointUnreachable no answer in time, or none that will come: refused, reset, 5xx after every retry
│   ├── EndpointRefused     the server understood and said no: a bad key, an unknown model (4xx)
│   ├── AnswerUnusable      an answer that is not embeddings, or of another number or dimension
│   └── MeaningUnavailable  a search by meaning alone, where no vectors can be compared
├── ServerError             something between a client and the server
│   ├── PortTaken           the server cannot listen where it was told to
│   ├── TokenRejected       no token, or one that is unknown, revoked or expired
│   ├── ScopeMissing        a token that is not for this
│   ├── RequestRefused      a request that is none: no JSON, too long, an address there is not
│   ├── ServerBusy          too many requests, of this token or altogether
│   └── ServerUnreachable   no answer
└── StoreError              the store cannot do what was asked
    ├── NotAStore           the file is something else, and is left alone
    ├── StoreDamaged
    ├── StoreBusy
    │   ├── StoreFull       every connection to the server is in use
    │   └── SpoolBusy       what was said is being taken in
    ├── StoreRaced          another writer was first; the same again may work
    ├── StoreUnreachable    the server of a store does not answer
    │   └── StoreInDoubt    it stopped answering when it was told to keep a change
    ├── ExtraMissing        the driver for a server is not installed
    ├── StoreSlow           a read with a time limit was cut off
    ├── StoreUnwritable     read-only, full, or not ours to write
    │   └── SpoolUnwritable where what was said lately waits
    ├── StoreTooNew
    ├── StoreTooOld
    ├── AlteredLog
    ├── UntrustedStore      made by somebody else, or a copy: never opened in place
    ├── StoreGone           it was here, and a backup is left
    ├── StoreReplaced       it was moved or replaced while it was open
    ├── NoBackup
    ├── BackupUnusable
    └── UnsafePath          a symlink where a store's own file should be

The docstring of a class is the message a person reads: what happened, and what to do.
"""


class HoldfastError(Exception):
    """Something went wrong in holdfast."""

    def __init__(self, **facts: object) -> None:
        self.facts = facts
        template = type(self).__doc__ or type(self).__name__
        super().__init__(" ".join(template.format(**facts).split()))

    def __reduce__(self) -> tuple[object, ...]:
        """Let it cross to another process, as a pool of workers sends it: made of facts, not of its sentence."""
        return _again, (type(self), self.facts)


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


class UnusableFile(InvalidInput):
    """{where}: {problem} Nothing was written."""

    @property
    def field(self) -> str:
        return "file"


_FOUND_WITH = {
    "item of the inbox": "`holdfast review`",
    "session": "`holdfast session list`",
    "project": "`holdfast status`",
    "token": "`holdfast token list`",
    "proposal": "`holdfast review`",
}
"""Where ids are shown that are no memory's."""


class UnknownId(HoldfastError):
    """No {noun} has the id {id!r}. {hint}"""

    def __init__(self, *, noun: str, id: object, near: str | None = None) -> None:  # noqa: A002 - the fact's name
        where = _FOUND_WITH.get(noun, "`holdfast list` or `holdfast search`")
        hint = f"Did you mean {near}?" if near else f"Find the right one with {where}."
        super().__init__(noun=noun, id=id, near=near, hint=hint)


class PinLimitReached(HoldfastError):
    """{limit} memories are pinned already, which is the most a brief always carries. Unpin one first."""


class Proposed(HoldfastError):
    """Not done yet: {verb} of {id} waits for the user as proposal {proposal}, because {why}. They decide with
    `holdfast review`."""


class PersonNeeded(HoldfastError):
    """This is for the user: {what} cannot be done from inside an agent. They can run it in a terminal of their
    own."""


class NotRedacted(HoldfastError):
    """The text could not be checked for secrets ({problem}), so nothing was stored. Please report this bug."""


class SwitchedOff(HoldfastError):
    """Nothing was written, because memory is switched off: {reason}"""


class GitFailed(HoldfastError):
    """Git could not be asked: {problem}. Nothing more was read; what was taken in before is kept."""


class ConfigError(HoldfastError):
    """{key}: {problem} (in {origin}){advice}"""

    def __init__(self, *, advice: object = "", **facts: object) -> None:
        super().__init__(**facts, advice=advice)


class AgentFileUnusable(HoldfastError):
    """{path} cannot be changed: {problem}. It was left as it is. Repair it, and try again."""


class EmbeddingFailed(HoldfastError):
    """No vectors were made: {problem}. Keyword search goes on, and what waits is embedded later."""


class ExtractorFailed(HoldfastError):
    """The extractor gave no notes: {problem}. Nothing is lost: the session is read when another one has ended."""


class ModelUnusable(EmbeddingFailed):
    """{model} cannot run: {problem}. {advice}"""

    def __init__(self, **facts: object) -> None:
        advice = "Keyword search goes on; `embedding.model` chooses another."
        super().__init__(**{"model": "The embedding model", "advice": advice} | facts)


class EndpointUnreachable(EmbeddingFailed):
    """The embedding server {url} did not answer: {problem}. Check `embedding.url` and that the server runs."""


class EndpointRefused(EmbeddingFailed):
    """The embedding server {url} refused: {problem}. Check the key and `embedding.remote_model`."""


class AnswerUnusable(EmbeddingFailed):
    """The embedder's answer cannot be used: {problem}. Check the model's name and `embedding.dimensions`."""


class MeaningUnavailable(EmbeddingFailed):
    """There is no searching by meaning just now: {problem}"""


class ServerError(HoldfastError):
    """The server could not do it: {problem}"""


class PortTaken(ServerError):
    """Cannot listen on {address}: {problem}. Stop what listens there, or choose another place with --port."""


class TokenRejected(ServerError):
    """The token is missing, unknown, revoked or expired. `holdfast token create` makes one; send it as
    `Authorization: Bearer …`."""


class ScopeMissing(ServerError):
    """This needs a token {needed}; the one given {has}. `holdfast token create` makes another."""


class RequestRefused(ServerError):
    """The request cannot be taken: {problem}"""


class ServerBusy(ServerError):
    """{problem} Try again in {seconds} s."""


class ServerUnreachable(ServerError):
    """No usable answer from {url}: {problem}. Check the address, and that `holdfast serve` runs there."""


class StoreError(HoldfastError):
    """The store {path} failed: {problem}. `holdfast doctor` looks for the cause."""


class NotAStore(StoreError):
    """{path} is not a holdfast store ({problem}). It was left untouched; move it away or set store.path."""


class StoreDamaged(StoreError):
    """The store {path} is damaged ({problem}). Nothing was changed. `holdfast doctor` says what is wrong;
    `holdfast doctor --repair` puts it right, or keeps the file and restores the newest good backup."""


class StoreBusy(StoreError):
    """The store {path} stayed locked by another process for {seconds} s. Nothing was written; try again."""


class StoreFull(StoreBusy):
    """The store {path} had no connection free for {seconds} s: all {size} are in use. Nothing was written; try
    again."""


class SpoolBusy(StoreBusy):
    """What was said lately is being taken in by another process, for more than {seconds} s. Nothing was forgotten;
    try again."""


class StoreRaced(StoreError):
    """The store {path} was changed by another at the same moment ({problem}). Nothing was written; try again."""


class StoreUnreachable(StoreError):
    """The store {path} does not answer: {problem}. Nothing was written; check the address and that the server
    runs."""


class StoreInDoubt(StoreUnreachable):
    """The store {path} stopped answering when it was told to keep a change: {problem}. The change may have been
    kept: look before you do it again."""


class ExtraMissing(StoreError):
    """The store {path} needs {problem}, which is not installed. `pip install 'holdfast[postgres]'` adds it."""


class StoreSlow(StoreError):
    """The store {path} did not answer within {milliseconds} ms. Nothing was changed; try again."""


class StoreUnwritable(StoreError):
    """The store {path} cannot be written: {problem}. Nothing was changed; free space or fix permissions."""


class SpoolUnwritable(StoreUnwritable):
    """What was said lately, in {path}, cannot be changed: {problem}. It waits as it is, and nothing was forgotten;
    free space or fix permissions."""


class StoreTooNew(StoreError):
    """The store {path} has schema {version}, this holdfast knows {known}. It can be read; upgrade holdfast to
    write to it."""


class StoreTooOld(StoreError):
    """The store {path} has schema {version}, this holdfast uses {known}. It was left as it is; any command that
    opens it, `holdfast status` for one, brings it up to date."""


class UntrustedStore(StoreError):
    """The store {path} is not opened: {problem}. `holdfast trust` takes over its rows as unconfirmed imports;
    `holdfast trust --own` keeps them as they are, when it is your own copy."""


class StoreGone(StoreError):
    """The store {path} is gone, but a backup from {taken} is there. `holdfast restore` brings it back;
    `holdfast init --fresh` starts anew."""


class StoreReplaced(StoreError):
    """The store {path} was moved, removed or replaced while it was open. Nothing was written; open it again."""


class NoBackup(StoreError):
    """There is no usable backup of {path}{problem}. `holdfast backup` makes one while the store works."""


class BackupUnusable(StoreError):
    """{path} cannot be restored: {problem}. `holdfast restore --list` shows the backups there are."""


class AlteredLog(StoreError):
    """The log was altered: event {number} does not fit the one before it. What was done is no longer certain."""


class UnsafePath(StoreError):
    """{path} is a {problem}; holdfast does not follow it. Remove it, or set store.path to the real place."""


def _again(kind: type[HoldfastError], facts: dict[str, object]) -> HoldfastError:
    """Make an error anew; one that words its own facts is not asked to word them twice."""
    error = kind.__new__(kind)
    HoldfastError.__init__(error, **facts)
    return error
