"""Say what kind of memory a text is, from the cues in it.

A caller's own kind is never asked about. Light: the table is taken apart on first use.

A cue is a word or a few words in a row, in any inflection: both sides are compared by their index forms. Files
are read as `FILE`, code in backticks as `CODE`, words with digits as `NUMBER`, names of errors as `ERROR`; a cue
behind `^` opens its text. Weights: 4 and more says it alone; 2 to 3 is a strong hint; 1 only tips the scales.

Of the cues of one kind and weight one counts, where it first occurs: one and a half times among the opening words
(the verb there says what the sentence is about: "Decided to add retries" is a decision), half in later sentences.
The best sum wins, ties go to the first kind in `PRIORITY`, and below `FLOOR` the text is an observation.
"""

from collections import defaultdict
from functools import cache
from itertools import product

from holdfast.model.kinds import OBSERVATION
from holdfast.model.patterns import regex
from holdfast.stores.analyser import tokens
from holdfast.text.names import FILE, SYSTEM_ERRORS

# Order settles ties: what binds future work before what merely happened, the specific before the general.
PRIORITY = (
    "decision", "warning", "preference", "bugfix", "error", "refactor", "discovery", "feature",
    "task_progress", "architecture", "pattern", "file_change", "change", "fact", OBSERVATION,
)  # fmt: skip

CUES = """
decision 6: amend, supersede
decision 4: decide, decision, settled, chose, chosen, choose, opt for, opted, agreed, agreement, ruled out, went
 with, going with, final call, verdict, concluded, consensus
decision 2.5: from now on, in favor of, picked, selected, resolved in, moving ahead with, is out, won t, approved,
 stick with, stay with, stays, the plan is, plan to, adopt, postpone, defer, rejected, we ll, we will, will be,
 will use, going forward, new rule, new policy, rather than
warning 4: whatever you do, beware, watch out, careful, caution, warning, danger, be aware, must not, mustn t,
 ^never, avoid
warning 3: keep in mind, off limits, forbidden, prohibited, not allowed, stay away, pitfall, gotcha, footgun,
 should not, shouldn t, may not, wipes, destroys, data loss
warning 2.2: do not, don t, never, can break, may break, may lose, drops all, leads to, fragile, risky, unsafe,
 not safe, shared with, irreversible, destructive, corrupts, loses
preference 4.5: would rather, doesn t like, prefer, d rather, don t like, dislikes, i like, likes to, she likes,
 he likes, user likes, loves, hates, enjoys
preference 3.5: please, i want, i d like, i would like, my usual, ask me, i find, i expect, user wants, tell me,
 show me, send me, give me, for me, don t ask, i need, personally, favors, skip the, answers short, answer in,
 reply in, you write
bugfix 4: no longer fails, no longer leaks, bugfix, bug fix, hotfix, fix, works again, workaround, work around, no
 longer crashes, prevents a crash
bugfix 2.5: resolved, solved, repaired, patched, corrected, properly, correctly, restored, addressed, stopped, is
 gone, was wrong, closed
bugfix 1: bug, issue with, crash, error, regression, leak, race, deadlock, typo, broken
error 4: permission denied, stack trace, out of memory, ERROR in, ERROR on, ERROR at, ERROR while, ^ERROR,
 traceback, segfault, connection refused, no such file, not working, exit code, errno
error 3: won t start, doesn t start, fails, failed with, failed on, failed to, crashes, times out, hangs, hung,
 raises a, raises an, exits with, getting a NUMBER, throws, threw, dies, panics, blows up, refuses, breaks, doesn
 t work, stuck, unresponsive, is down, is broken, returns NUMBER, unable to
error 1.5: ERROR, cannot, can t, could not, couldn t, error, exception, flaky, intermittent, freezes, unexpected,
 undefined, missing, not found, denied, randomly, still open, unreachable, disappears
refactor 5: refactor, restructure, reorganize, reorganise, inlined, consolidate
refactor 3: moved into, in one place, extract, broke up, cleaned up, deduplicate, split the, split up, split into,
 pulled the, broken up, duplication, into smaller, merged the, renamed, simplified, dead code, unified, decoupled,
 replaced the
discovery 4: turns out, discover, discovery, found out, found that, figured out
discovery 3: found, learned, learnt, noticed, realized, realised, profiling, benchmark shows, measured, root
 cause, interesting, interestingly, surprisingly, apparently, shows that, showed, it seems, looks like, comes
 from, the reason, actually, traced
feature 4: can now, now possible, now supports, there is now, gained, users can, customers can, new feature
feature 3: add, added, implement, introduce, create, landed, built, shipped, launched, feature, support for,
 supports, now has
feature 1.5: new
task_progress 4.5: todo, to do, wip, next step, next up, in progress, halfway, blocked on, blocked by, waiting
 for, paused, in review, NUMBER of NUMBER, NUMBER of the NUMBER, NUMBER out of NUMBER, still missing, is next,
 remaining
task_progress 2.5: working on, starting on, is done, are done, finished, still needs, currently, continue,
 completed, done, tomorrow, task, ready for, ready to, not started, so far
task_progress 1.5: NUMBER of
architecture 4: architecture, layer, microservice, monorepo, depends on, hexagonal, plugin system
architecture 2.5: talks to, communicates, goes through, go through, flows, consists of, separate service, separate
 process, forwards, backed by, behind a, behind the, pipeline, sidecar, runs as, reads from, writes to, publishes,
 subscribes, owns, stateless, has its own, over grpc
architecture 1.5: module, service, worker, process, thread, message, gateway, daemon, backend, frontend, broker,
 bus, queue, client, server, adapter, domain, repository, interface, websocket, rpc, scheduler, consumer
pattern 4: convention, idiom, idiomatic, pattern, are always, is always, as a rule
pattern 2.5: always, whenever, throughout, everywhere, consistently, follows, mirrors, every, each, we wrap, we
 keep, we name, we put, are named, is named, uppercase, lowercase, returns early, bubbles up, append only, are
 numbered, code base, are wrapped, are passed, one per
pattern 1.5: all, starts with, begins with, ends in, ends with, must, should, ^constants, ^components, ^tests,
 ^handlers, ^controllers, ^endpoints, ^models, ^errors, ^migrations
file_change 6: ^edited FILE, ^modified FILE, ^deleted FILE, ^created FILE, ^renamed FILE, ^updated FILE, ^moved
 FILE, ^added FILE, ^changed FILE, file saved, files changed, ^FILE NUMBER
file_change 3.5: insertions, deletions, FILE and FILE, FILE FILE, NUMBER lines, NUMBER files
change 3: bump, upgrade, downgrade, migrated, updated, changed, modified, switched, raised, lowered, increased,
 decreased, reduced, adjusted, tweaked, no longer, is now, are now, we now
change 2.5: replaced, removed, dropped, enabled, disabled, turned on, rotated, reset, reverted, shortened,
 extended, tightened, swapped, tuned, set to, since yesterday, since this
change 1.5: update, change, moved the, moved from, deprecated, instead of, now
fact 1: is, are, runs, listens, expires, defaults, supports, requires, contains, needs, lives
fact 1.2: NUMBER, CODE, FILE, version, port, limit, default, minimum, maximum, license, region, url, endpoint
fact 1.1: production, staging, sandbox, repo, project, branch, cluster, runner, bucket, table, schema, database,
 cookie, token, account, provider, documentation, hosted, located, called, based on, written in, we use, we host
"""
"""Kind, weight and words, a row each; indented lines go on with the one above."""

EXAMINED_CHARS = 2_000
FLOOR = 2.0
OPENING_WORDS = 3
STRONG = 2.0
"""Weights from which on a cue among the opening words counts more."""

LONGEST_CUE = 4
PLAIN = 3.0
"""The most a text can score as a fact: many small signs of a plain statement never outweigh one clear cue."""

_CODE = regex(r"`([^`\n]{1,200})`")
_SENTENCE = regex(r"[.!?;]\s|\n")
_ERROR = regex(rf"\b(?:[A-Z]\w*(?:Error|Exception|Warning)|ERR!|{SYSTEM_ERRORS})(?!\w)")
_NUMBER = regex(r"(?<![\w-])[^\W\d_]?\d[\w.,%-]*")
_MASKS = {"FILE": "zzfile", "CODE": "zzcode", "NUMBER": "zznumber", "ERROR": "zzerror"}


def classify(text: str) -> tuple[str, float]:
    """Return the kind of `text` and how sure that is, from 0 (no cue at all) to 1."""
    ranking = sorted(scores(text).items(), key=lambda item: (-item[1], PRIORITY.index(item[0])))
    if not ranking or ranking[0][1] < FLOOR:
        return OBSERVATION, 0.0
    kind, best = ranking[0]
    second = ranking[1][1] if len(ranking) > 1 else 0.0
    return kind, round(best / (best + second + 1), 2)


def scores(text: str) -> dict[str, float]:
    """Return the sum of cue weights for every kind that has one in `text`."""
    best: dict[tuple[str, float], float] = {}
    place, table = 0, _table()
    for number, sentence in enumerate(_SENTENCE.split(_mask(text[:EXAMINED_CHARS]))):
        words = tokens(sentence)
        for at, length in product(range(len(words)), range(1, LONGEST_CUE + 1)):
            run = tuple(words[at : at + length])
            for cue in [*table.get(run, ()), *(table.get(("^", *run), ()) if place + at == 0 else ())]:
                opens = place + at < OPENING_WORDS and cue[1] >= STRONG
                best[cue] = max(best.get(cue, 0.0), cue[1] * (0.5 if number else 1.5 if opens else 1.0))
        place += len(words)
    totals: defaultdict[str, float] = defaultdict(float)
    for (kind, _), score in best.items():
        totals[kind] += score
    return {kind: min(total, PLAIN) if kind == "fact" else total for kind, total in totals.items()}


def _mask(text: str) -> str:
    """Hide names that would look like cues: `fix_bug.py` fixes nothing."""
    text = _CODE.sub(lambda code: "zzfile" if FILE.fullmatch(code[1]) else "zzcode", text.strip())
    text = FILE.sub("zzfile", text.replace("’", "'"))
    return _NUMBER.sub("zznumber", _ERROR.sub("zzerror", text))


def rows() -> list[tuple[str, float, list[str]]]:
    """Return the cues as kind, weight and words."""
    lines = CUES.replace("\n ", " ").strip().splitlines()
    heads = [line.partition(": ") for line in lines]
    return [(head.split()[0], float(head.split()[1]), words.split(", ")) for head, _, words in heads]


@cache
def _table() -> dict[tuple[str, ...], list[tuple[str, float]]]:
    """Return the cues by their index forms."""
    table: dict[tuple[str, ...], list[tuple[str, float]]] = {}
    for kind, weight, cues in rows():
        for cue in cues:
            text = " ".join(_MASKS.get(word, word) for word in cue.lstrip("^").split())
            table.setdefault((*cue[: cue.startswith("^")], *tokens(text)), []).append((kind, weight))
    return table
