"""What can be wrong around a store, one small check each. What is inside the file, the store's own checks say."""

import stat
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import HoldfastError, StoreDamaged, UntrustedStore
from holdfast.machine import failures
from holdfast.machine.paths import PROJECT_HOME
from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.model.limits import DAY_MS
from holdfast.model.times import day, iso
from holdfast.settings.load import Vouching
from holdfast.storage.admission import AUTO, Admission

LEAST_FREE = 100 * 1024 * 1024
OLD_DAYS = 7
FAILURE_DAYS = 7
"""How far back failures are told of: older ones are over, or said again since."""

DAMAGE = ("integrity", "schema", "rows")
"""Diagnoses of what a backup can put right."""

NO_BACKUP = (
    "there is no backup: `holdfast doctor --repair` leaves the file as it is; `holdfast init --fresh` sets it "
    "aside and starts anew, and `sqlite3 memory.db .recover` shows what can still be read of it"
)


def no_model() -> Diagnosis:
    """Say that nothing makes vectors."""
    return Diagnosis("model", OK, "nothing makes vectors")


class Patient(Struct, frozen=True, kw_only=True):
    """What the checks look at."""

    admission: Admission
    now: int
    root: Path | None = None
    """The project's directory."""
    vouching: Vouching = Vouching()
    auto_backup: bool = True
    model: Callable[[], Diagnosis] = no_model
    """What is to be said of what makes vectors: only who made it knows."""

    @property
    def path(self) -> Path:
        """The store's file."""
        return self.admission.file.path


def examine(patient: Patient) -> list[Diagnosis]:
    """Run every check; the file is opened only when it may be."""
    ownership = _registry(patient)
    diagnoses = [ownership]
    if ownership.severity == OK and patient.path.exists():
        diagnoses += _contents(patient)
    return [*diagnoses, *(check(patient) for check in AROUND.values()), *diagnose_settings(patient.vouching)]


def _contents(patient: Patient) -> list[Diagnosis]:
    try:
        return [
            replace(diagnosis, advice=_damage_advice(patient))
            if "backup" in diagnosis.advice and _is_damage(diagnosis)
            else diagnosis
            for diagnosis in patient.admission.file.diagnose()
        ]
    except StoreDamaged as error:
        return [Diagnosis("integrity", PROBLEM, str(error.facts["problem"]), _damage_advice(patient))]
    except HoldfastError as error:
        return [Diagnosis("integrity", PROBLEM, str(error), "see docs/troubleshooting.md")]


def _is_damage(diagnosis: Diagnosis) -> bool:
    return diagnosis.severity == PROBLEM and diagnosis.name in DAMAGE


def _damage_advice(patient: Patient) -> str:
    backups = patient.admission.restorable()
    if not backups:
        return NO_BACKUP
    return (
        f"`holdfast doctor --repair` sets the file aside and restores the newest good backup, of "
        f"{iso(backups[0].taken_at)} or before; what was written since is then in the file set aside alone"
    )


def _registry(patient: Patient) -> Diagnosis:
    try:
        patient.admission.admit()
    except UntrustedStore as error:
        advice = "`holdfast trust` takes over its rows; `holdfast trust --own` keeps them as they are"
        return Diagnosis("registry", PROBLEM, str(error.facts["problem"]), advice)
    except StoreDamaged as error:
        return Diagnosis("integrity", PROBLEM, str(error.facts["problem"]), _damage_advice(patient))
    except HoldfastError as error:
        return Diagnosis("registry", PROBLEM, str(error), "do what the message says")
    if not patient.path.exists():
        return Diagnosis("registry", OK, "no store is here yet; `holdfast init` makes one")
    return Diagnosis("registry", OK, "you made this store")


def _modes(patient: Patient) -> Diagnosis:
    if sys.platform == "win32":
        return Diagnosis("modes", OK, "who may read the files is what their folder says; Windows keeps no modes")
    wide = open_files(patient.admission)
    if wide:
        message = f"{wide[0]} can be read by others ({_mode(wide[0]):04o})"
        return Diagnosis("modes", PROBLEM, message, "`holdfast doctor --repair` makes it yours alone")
    return Diagnosis("modes", OK, "the files are yours alone")


def open_files(admission: Admission) -> list[Path]:
    """Return the files of a store, and its own directory, that others can read or write."""
    home = admission.file.path.parent
    own = [*admission.file.parts(), *([home] if home.name == PROJECT_HOME and home.exists() else [])]
    return [path for path in own if sys.platform != "win32" and _mode(path) & 0o077]


def _mode(path: Path) -> int:
    """Return a file's mode; a log can go while one looks."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _disk_space(patient: Patient) -> Diagnosis:
    import shutil  # heavy, and only needed here

    place = patient.path.parent
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    needed_bytes = max(LEAST_FREE, 2 * patient.path.stat().st_size if patient.path.exists() else 0)
    message = f"{free / 1_048_576:,.0f} MB free"
    if free < needed_bytes:
        return Diagnosis(
            "disk-space", WARNING, message, f"make room: {needed_bytes / 1_048_576:,.0f} MB should be free"
        )
    return Diagnosis("disk-space", OK, message)


def _backups(patient: Patient) -> Diagnosis:
    backups = patient.admission.backups
    for store_id in patient.admission.store_ids():
        failure = backups.failure(store_id)
        if failure:
            message = f"the last automatic one failed: {failure}"
            return Diagnosis("backups", WARNING, message, "put that right, then run `holdfast backup`")
    known_backups = patient.admission.restorable()
    if not known_backups:
        quiet = not patient.path.exists()
        advice = "" if quiet else "`holdfast backup` makes one; the end of a session does so by itself, once a day"
        return Diagnosis("backups", OK if quiet else WARNING, "there is none yet", advice)
    age = (patient.now - known_backups[0].taken_at) // DAY_MS
    message = f"{len(known_backups)}, the newest from {day(known_backups[0].taken_at)}"
    if age < 0:
        message += ", a day to come: the clock was wrong when it was made"
    if age > OLD_DAYS:
        return Diagnosis("backups", WARNING, f"{message}, {age} days ago", "`holdfast backup` makes one")
    if not patient.auto_backup and not any(backup.label == AUTO for backup in known_backups):
        return Diagnosis("backups", OK, f"{message}; automatic ones are switched off")
    return Diagnosis("backups", OK, message)


def _leftovers(patient: Patient) -> Diagnosis:
    admission = patient.admission
    leftovers = [path for folder in admission.folders() for path in admission.file.leftovers(folder)]
    if leftovers:
        message = f"a process that was ended while it copied left {leftovers[0]}"
        advice = "`holdfast doctor --repair` removes it; so does the next backup"
        return Diagnosis(
            "leftovers", WARNING, f"{message} and {len(leftovers) - 1} more" if leftovers[1:] else message, advice
        )
    return Diagnosis("leftovers", OK, "no copy was left half made")


def _forgotten_marks(patient: Patient) -> Diagnosis:
    _, absent_marks = patient.admission.missing_marks()
    if absent_marks:
        message = f"{len(absent_marks):,} marks of forgotten things are not kept beside the backups"
        advice = "`holdfast doctor --repair` writes them, so that a restore leaves those things out"
        return Diagnosis("forgotten", WARNING, message, advice)
    return Diagnosis("forgotten", OK, "a restore leaves out what was forgotten")


def diagnose_settings(vouching: Vouching) -> list[Diagnosis]:
    """Say what of the settings cannot be used, what is not obeyed, and what is doubtful; each on its own."""
    stops = "until then most commands stop there, and hooks neither record nor brief"
    obey = "read .holdfast/config.toml; `holdfast trust --config` obeys it as it stands"
    ignored_names = f"not obeyed from this repository: {', '.join(vouching.ignored)}"
    diagnoses = [
        *(Diagnosis("settings", PROBLEM, problem, stops) for problem in vouching.problems),
        *([Diagnosis("settings", WARNING, ignored_names, obey)] if vouching.ignored else []),
        *(Diagnosis("settings", WARNING, doubt) for doubt in vouching.doubts),
    ]
    return diagnoses or [Diagnosis("settings", OK, "every setting is obeyed")]


def diagnose_failures(root: Path | None, now: int) -> Diagnosis:
    """Say what hooks and briefs left in the log since nobody was told."""
    recent = failures.failures(str(root or ""), since=now - FAILURE_DAYS * DAY_MS)
    if not recent:
        return Diagnosis("failures", OK, "no hook and no brief failed lately")
    at, step, problem = recent[0]
    message = f"{len(recent):,} in {FAILURE_DAYS} days, the last on {day(at)}: {step}: {problem}"
    return Diagnosis(
        "failures", WARNING, message, "an agent went without memory then; see docs/troubleshooting.md"
    )


AROUND: dict[str, Callable[[Patient], Diagnosis]] = {
    "modes": _modes,
    "disk-space": _disk_space,
    "backups": _backups,
    "leftovers": _leftovers,
    "forgotten": _forgotten_marks,
    "model": lambda patient: patient.model(),
    "failures": lambda patient: diagnose_failures(patient.root, patient.now),
}
"""Every check of what is around the file, by the name of its diagnosis, but for `registry` and `settings`."""
