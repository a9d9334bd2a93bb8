"""Gather what the static question encoder learns from: texts, and questions with a passage that answers them.

Every source is named below with its licence; nothing else is read. Texts that share eight words in a row, or all
their telling words, with a text of the evaluation sets are left out, so that those sets stay unseen.

usage: python -m scripts.static_encoder.collect REPOSITORIES PACKAGES WORDNET EXCLUDE.jsonl OUT

REPOSITORIES  folder of bare git directories, each as owner/name.git
PACKAGES      folders with installed or unpacked Python packages, joined by ':'; one that holds os.py is the
              standard library
WORDNET       folder with WordNet's data.noun, data.verb, data.adj and data.adv
EXCLUDE       one JSON string a line: the texts that must not be learnt
OUT           folder for texts.xz, pairs.xz and counts.json (lines a source)
"""

import csv
import email
import json
import lzma
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

from scripts.static_encoder import gathered
from scripts.static_encoder.gathered import Gathered, flat, words_of
from scripts.static_encoder.readers import PAGES, SPOKEN, commits, python, speak
from scripts.static_encoder.sources import OTHERWISE, PERMISSIVE, SOURCES, Source
from scripts.static_encoder.templates import templates


def run_git(git: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """Run git on a bare directory and return what it prints."""
    return subprocess.run(
        ["git", f"--git-dir={git}", *arguments], input=given, capture_output=True, check=False
    ).stdout


def files_of(git: Path, pattern: str, most: int) -> Iterator[str]:
    """Read a random choice of a repository's files."""
    rows = [
        row.split(None, 4)
        for row in run_git(git, "ls-tree", "-r", "-l", "HEAD").decode("utf-8", "replace").split("\n")
        if row
    ]
    rows = [
        row
        for row in rows
        if len(row) == 5 and row[3].isdigit() and 200 < int(row[3]) < 4_300_000 and re.search(pattern, row[4])
    ]
    random.shuffle(rows)
    done = run_git(git, "cat-file", "--batch", given="\n".join(row[2] for row in rows[:most]).encode() + b"\n")
    at = 0
    while at < len(done):
        end = done.find(b"\n", at)
        head = done[at:end].split()
        if len(head) < 3:
            at = end + 1
            continue
        size = int(head[2])
        yield done[end + 1 : end + 1 + size].decode("utf-8", "replace")
        at = end + 2 + size


def messages_of(git: Path, most: int) -> list[str]:
    """Read a random choice of a repository's latest commit messages."""
    log = run_git(git, "log", "--no-merges", "-n", "25000", "--format=%s%x01%b%x02")
    messages = log.decode("utf-8", "replace").split("\x02")
    random.shuffle(messages)
    return messages[:most]


def repository(source: Source) -> Gathered:
    """Read one source."""
    into, git = Gathered(), Path(REPOSITORIES, source.name + ".git")
    if source.reader == "commits":
        commits(messages_of(git, source.most), into)
        return into
    for page in files_of(git, source.files, source.most):
        if source.reader in SPOKEN:
            speak(SPOKEN[source.reader](page), into)
        else:
            PAGES[source.reader](page, into)
    return into


# ── Python packages ─────────────────────────────────────────────────────────────────────────────────────────


def licence_of(metadata: Path) -> str:
    """Return a package's licence by its metadata, where it is a permissive one alone, else nothing."""
    about = email.message_from_string(metadata.read_text("utf-8", "replace"))
    classes = [
        line.rsplit(" :: ", 1)[1] for line in about.get_all("Classifier", []) if line.startswith("License ::")
    ]
    by_class = "; ".join(one for one in classes if one != "OSI Approved")
    stated = flat(about.get("License-Expression") or by_class or (about.get("License") or "")[:60])
    return stated if PERMISSIVE.search(stated) and not OTHERWISE.search(stated) else ""


class Package(NamedTuple):
    """A Python package with its licence and modules."""

    name: str
    licence: str
    files: list[str]


OTHERS_CODE = re.compile(r"(^|/)(tests?|testing|_vendor|vendor(ed)?|extern(als?)?|third_party)/|\.\.")


def packages(roots: str) -> list[Package]:
    """Return the packages whose licence is permissive, each once."""
    found: dict[str, Package] = {}
    for root in map(Path, roots.split(":")):
        if (root / "os.py").is_file():
            files = [
                str(path)
                for path in root.rglob("*.py")
                if not {"site-packages", "test", "tests", "idle_test"} & set(path.parts)
            ]
            found["python"] = Package("Python standard library", "PSF-2.0", files)
            continue
        for record in root.glob("*.dist-info/RECORD"):
            name = record.parent.name.split("-")[0].lower()
            licence = licence_of(record.with_name("METADATA")) if record.with_name("METADATA").is_file() else ""
            if not licence or name in found or name == "holdfast":
                continue
            rows = csv.reader(record.read_text("utf-8").splitlines())
            modules = [row[0] for row in rows if row and row[0].endswith(".py")]
            files = [str(root / module) for module in modules if not OTHERS_CODE.search(module)]
            found[name] = Package(name, licence, files)
    return sorted(found.values())


def package(one: Package) -> Gathered:
    """Read the functions of a package."""
    into, files = Gathered(), list(one.files)
    random.shuffle(files)
    for file in files[:1500]:
        try:
            python(Path(file).read_text("utf-8"), into)
        except (OSError, UnicodeError):
            continue
    return into


# ── WordNet ─────────────────────────────────────────────────────────────────────────────────────────────────


def wordnet(folder: str) -> Gathered:
    """Words, definitions and examples, and each first word with its definition."""
    into = Gathered()
    for path in sorted(Path(folder).glob("data.*")):
        for line in path.read_text("latin-1").split("\n"):
            if line[:1] == " " or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            words = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
            for word in words:
                if random.random() < 0.5:
                    into.text(re.sub(r"\(.*", "", word), "wordnet.word")
            definition, *examples = [part.strip(' "\n') for part in gloss.split(";")]
            into.text(definition, "wordnet.gloss")
            into.pair(words[0], definition, "gloss")
            for example in examples:
                into.text(example, "wordnet.example")
    return into


# ── all of it ───────────────────────────────────────────────────────────────────────────────────────────────
REPOSITORIES = ""
Job = Source | Package | str


def read(job: Job) -> Gathered:
    """Read one source: a repository, a package, or WordNet's folder."""
    if isinstance(job, Source):
        random.seed(f"7 repository {job}")
        return repository(job)
    if isinstance(job, Package):
        random.seed(f"7 package {job.name}")
        return package(job)
    random.seed("7 wordnet")
    return wordnet(job)


class Kept:
    """What is written: each text once, each question once a passage, and how many lines a source gave."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.pairs: dict[tuple[str, str], str] = {}
        self.kinds: Counter[str] = Counter()
        self.counts: dict[str, dict[str, str | int]] = {}
        self.seen: set[str] = set()

    def take(self, name: str, licence: str, got: Gathered) -> None:
        """Take over what one source gave."""
        texts, pairs = len(self.texts), len(self.pairs)
        for text, kind in got.texts.items():
            key = " ".join(words_of(text))
            if key not in self.seen:
                self.seen.add(key)
                self.texts[text] = kind
        for question, passage, kind in got.pairs:
            key_of_pair = (question.lower(), passage[:80])
            if key_of_pair not in self.pairs:
                self.pairs[key_of_pair] = f"{question}\t{passage}\t{kind}\n"
                self.kinds[kind] += 1
        texts, pairs = len(self.texts) - texts, len(self.pairs) - pairs
        before = self.counts.get(name, {})
        found = {"texts": texts, "pairs": pairs, "left_out": got.dropped}
        self.counts[name] = {"licence": licence} | {
            key: int(before.get(key, 0)) + more for key, more in found.items()
        }
        print(name, licence, texts, pairs, "near unseen", got.dropped, flush=True)


def main() -> None:
    """Gather everything and write it."""
    global REPOSITORIES
    REPOSITORIES, roots, glosses, unseen, out = sys.argv[1:6]
    gathered.load_unseen(unseen)
    print("unseen: grams", len(gathered.unseen_grams), "short", len(gathered.unseen_short), flush=True)
    jobs: list[Job] = [*SOURCES, glosses, *packages(roots)]
    kept = Kept()
    with Pool(os.cpu_count()) as pool:
        for job, got in zip(jobs, pool.imap(read, jobs), strict=True):
            if isinstance(job, str):
                kept.take("WordNet 3.0", "WordNet 3.0 (MIT-style)", got)
            else:
                kept.take(job.name, job.licence, got)
    random.seed(5)
    kept.take("templates", "written for this, filled from the sources above", templates(kept.texts))
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    lines = {
        "texts": (f"{text}\t{kind}\n" for text, kind in kept.texts.items()),
        "pairs": iter(kept.pairs.values()),
    }
    for name, rows in lines.items():
        with lzma.open(folder / f"{name}.xz", "wt", encoding="utf-8", preset=2) as handle:
            handle.writelines(rows)
    (folder / "counts.json").write_text(json.dumps(kept.counts, indent=1), "utf-8")
    print(len(kept.texts), "texts", Counter(kept.texts.values()).most_common())
    print(len(kept.pairs), "pairs", kept.kinds.most_common())


if __name__ == "__main__":
    main()
