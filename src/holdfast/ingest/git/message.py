"""What a commit's message says: whether it is worth keeping, and whether it states something. Pure."""

import re
from dataclasses import dataclass

from holdfast.ingest.git.log import Commit

_PREFIX = re.compile(r"(?P<type>[a-z]{2,12})(?:\((?P<scope>[^()]{1,60})\))?(?P<breaking>!)?:\s+", re.IGNORECASE)
_AREA = re.compile(r"(?:\[[^\]]{1,40}\]\s*)+|[\w./-]{1,40}:\s+(?=\S)")
_FIX = re.compile(r"(?:(?:bug|hot)?fix(?:e[sd]|ing)?|security|repair(?:s|ed)?|resolv(?:e|es|ed))\b", re.IGNORECASE)
_TRAILER = re.compile(
    r"(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|cc|change-id|reviewed-on|bug|"
    r"issue|closes|fixes|refs|see-also|pr-url|generated-by|gerrit-[\w-]+|git-svn-id|cherry-picked-from)\s*:.*",
    re.IGNORECASE,
)
_CHERRY_PICK = re.compile(r"\(cherry picked from commit [0-9a-f]{7,64}\)")
_REVERTS = re.compile(r"\bThis reverts commit (?P<id>[0-9a-f]{7,64})\b")
_REVERT = re.compile(r'(?:Revert|Reapply)\s+"(?P<what>.*)"$')
_BREAKING = re.compile(r"^BREAKING[ -]CHANGE:\s", re.MULTILINE)
_BOT = re.compile(
    r"\[bot\]|\b(?:dependabot|renovate|greenkeeper|pyup|snyk|mergify|bors|weblate|allcontributors|imgbot|depfu|"
    r"github-actions|gitlab-ci|pre-commit-ci|semantic-release|release-please|jenkins|travis)\b|\bbot@",
    re.IGNORECASE,
)
_FIXUP_PREFIX = re.compile(r"(?:fixup|squash|amend)!\s", re.IGNORECASE)
_CHORE = re.compile(
    r"(?:wip\b|minor\b|cosmetics?\b|comments?\b|cleanups?\b|typos?\b|"
    r"fix(?:ed|es)? (?:a )?typos?\b|lint(?:ing)?\b|format(?:ting)?\b|whitespace\b|"
    r"bump(?:ed|s)? (?:the )?(?:version|deps?|dependenc)|bump \S+ (?:from|to)\b|(?:prepare )?release\b|"
    r"v?\d+(?:\.\d+)+\b|version \d|update (?:the )?(?:changelog|readme|deps?|dependenc\w*|version)\b|"
    r"initial commit\b|merge (?:branch|pull|remote|tag|commit)\b)",
    re.IGNORECASE,
)
_LEAST_RULE_WEIGHT = 3.0
"""From this weight on a message states how things have to be, and not only what was done."""


def _cues(*rows: tuple[float, str]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((weight, re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])", re.IGNORECASE)) for weight, cue in rows)


_RULES = _cues(
    (3, r"decided|decision|policy|policies|invariants?|agreed|we (?:now|chose|will)|from now on|by design"),
    (2, r"must|always|requires?|required|on purpose|deliberate(?:ly)?|intentional(?:ly)?|rules?|guarantees?"),
    (2, r"has to|have to|needs to|(?:at most|at least|no more than|exactly|up to) (?:\d+|one|two|the)"),
    (2, r"keep [\w.]+ (?:=|at|as|below|above|under)|caps? (?:at|it|them)|is \d+|stays?|only"),
    (1, r"should|except|unless|regardless|even (?:if|when)|rather than|instead of|not just"),
    (1, r"because|since|so that|otherwise|the reason|in order to|which (?:caused|broke|meant)|due to"),
    (1, r"e\.g\.|for example|i\.e\.|->|→|first|then|before|after"),
)
_FORBIDDEN = _cues(
    (2, r"(?<!was )(?<!were )(?<!we )(?<!has )(?<!have )(?<!is )never|must(?:n't| not)|do not"),
    (2, r"don't (?!need|know|have)|not allowed|forbidden|beware"),
    (1, r"careful|caution|unsafe|dangerous|should(?:n't| not)|cannot be|can't be|breaks if|deadlocks?"),
)

_WORD = re.compile(r"[^\W\d_]{2,}")
_FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """What a commit has to say, in words that stand by themselves."""

    text: str
    """Subject and body, without trailers."""
    kind: str | None
    """The kind of memory it makes; None when it is evidence only."""
    importance: float
    reverts: str | None
    """The commit that it takes back."""


def by_machine(commit: Commit) -> bool:
    """Say whether a program made the commit."""
    return bool(_BOT.search(commit.author))


def is_trivial(commit: Commit) -> bool:
    """Say whether a message says nothing that anybody would look for."""
    if _FIXUP_PREFIX.match(commit.subject):
        return True
    subject = _bare(commit.subject)
    if prose(commit.body) or _REVERT.match(commit.subject):
        return False
    return bool(_CHORE.match(subject)) or len(_WORD.findall(subject)) < _FEW_WORDS


def read_message(commit: Commit) -> CommitMessage:
    """Tell what a commit says, and what sort of memory it is."""
    body = prose(commit.body)
    text = f"{commit.subject}\n\n{body}".strip()
    reverts = _REVERTS.search(commit.body)
    if reverts or _REVERT.match(commit.subject):
        reason = _REVERTS.sub("", body).strip(" .\n")
        is_explained = len(_WORD.findall(reason)) >= _FEW_WORDS
        taken_back = reverts["id"] if reverts else None
        return CommitMessage(
            text, "decision" if is_explained else "change", 0.6 if is_explained else 0.4, taken_back
        )
    kind = _kind(commit, body)
    return CommitMessage(text, kind, _importance(kind, body), None)


def prose(body: str) -> str:
    """Return a message's body without trailers and notes of tools."""
    prose_lines = [
        line for line in body.split("\n") if not (_TRAILER.fullmatch(line.strip()) or _CHERRY_PICK.search(line))
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(prose_lines)).strip()


def _kind(commit: Commit, body: str) -> str | None:
    """Tell what a commit states: a rule, a warning, or only that something was put right."""
    prefix = _PREFIX.match(commit.subject)
    if _BREAKING.search(body) or (prefix and prefix["breaking"]):
        return "decision"
    text = f"{_bare(commit.subject)}. {body}"
    rules, forbidden = _weight(text, _RULES), _weight(body, _FORBIDDEN)
    if rules + forbidden >= _LEAST_RULE_WEIGHT:
        return "decision" if rules > forbidden else "warning"
    is_fix = (prefix and _FIX.fullmatch(prefix["type"])) or _FIX.match(_bare(commit.subject))
    return "bugfix" if is_fix else None


def _bare(subject: str) -> str:
    """Return a subject without the type or the area that stands before it."""
    rest = _PREFIX.sub("", subject, count=1)
    return _AREA.sub("", rest, count=1) or rest


def _weight(text: str, cues: tuple[tuple[float, re.Pattern[str]], ...]) -> float:
    return sum(weight for weight, cue in cues if cue.search(text))


def _importance(kind: str | None, body: str) -> float:
    """A reason given makes a statement worth more than the bare fact."""
    if kind in ("decision", "warning"):
        return 0.7 if body else 0.5
    return 0.5 if body else 0.3
