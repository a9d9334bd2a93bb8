"""What a session is told when it starts, before anybody asked: the standing rules.

What a person stated or confirmed, of the project and of the user, while it holds: all of it while it fits, and
else the most useful ones. Most useful is what touches the files at hand, then what applies to most work, was said
again, is read often, is new. Must not live here: how many fit (`fill`), and what files are at hand
(`machine.checkout`).
"""

import math
from collections.abc import Collection, Mapping, Sequence

from holdfast.model.kinds import AGENT, CONFIRMED, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.recall.brief.budget import estimate
from holdfast.recall.brief.request import BriefSources, Request
from holdfast.recall.brief.weights import SAME_FILE, affinity

KINDS = ("decision", "warning", "preference", "architecture", "pattern", "fact")
"""Kinds that are rules, whoever stated them."""

NOTED_KINDS = ("observation", "discovery", "feature")
"""Kinds that what a person asked to remember may be taken for ("ask before adding a dependency" adds)."""

LOOKED_AT = 400
"""Rules that are weighed, newest first: three times what the largest budget holds."""

MAIN_BRANCHES = frozenset(("main", "master", "trunk", "default", "develop"))
"""Branches that everything ends up on: to be on one of them says nothing about what is being worked on."""

COMMON_WORK = (
    "add a dependency, install a package, write a test, run the tests, fix a bug, create a component, write a "
    "function, change an endpoint, update the database schema, run a migration, add logging, handle errors, "
    "refactor code, write documentation, edit configuration, commit and push the changes, open a pull request, "
    "deploy"
)
"""What most sessions do. A rule that is near to it applies widely, and shares few words with any one prompt."""

IMPORTANCE = 0.2
"""What importance, which grows when something is said again, adds to a cosine."""

READ_BONUS = 0.05
"""What each doubling of reads adds."""

FRESH = 0.05
"""What being new adds, half of it after so many days."""

FRESH_DAYS = 30


def standing_rules(request: Request, reach: BriefSources) -> list[Memory]:
    """Return the rules that hold and are not pinned, newest first; what came from files is none, whoever
    confirmed it."""
    filters = Filters(
        kinds=(*KINDS, *NOTED_KINDS), statuses=(CONFIRMED,), trusts=(USER, AGENT), current_at=request.scene.now
    )
    memories = [memory for store in reach.stores for memory in store.memories.newest(filters, LOOKED_AT)]
    return [memory for memory in memories if memory.trust == USER or memory.kind in KINDS]


def by_use(rules: Sequence[Memory], request: Request, reach: BriefSources) -> list[Memory]:
    """Return rules, the most useful first for the room they take."""
    files = (*request.scene.files, *reach.at_hand())
    widths = reach.widths([rule.id for rule in rules])
    return sorted(rules, key=lambda rule: -_use(rule, widths, files, request) / math.sqrt(estimate(rule.content)))


def _use(rule: Memory, widths: Mapping[str, float], files: Collection[str], request: Request) -> float:
    branch = request.branch
    here = branch is not None and branch not in MAIN_BRANCHES and rule.branch == branch
    at_hand = here or affinity(rule.files, tuple(files)) >= SAME_FILE
    age_days = max(0, request.scene.now - rule.renewed_at) / DAY_MS
    return (
        float(at_hand)
        + widths.get(rule.id, 0.0)
        + IMPORTANCE * rule.importance
        + READ_BONUS * math.log2(1 + rule.reads)
        + FRESH * math.exp2(-age_days / FRESH_DAYS)
    )
