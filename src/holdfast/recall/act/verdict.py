"""What rules and guards say to one call: told, asked about, or refused; the same in hooks, `guard test` and
`check`. Light."""

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.model.act import ASK, DENY, STRENGTHS, TELL
from holdfast.recall.act.match import MOST_TOLD, Call, CompiledRule, touched


class RuleVerdict(NamedTuple):
    """A rule that a call touches, and how strongly that is said."""

    rule: CompiledRule
    strength: str
    hard: bool = False
    """A refusal that stays one when the call is said again."""


def verdicts_on(rules: Sequence[CompiledRule], call: Call, root: str) -> list[RuleVerdict]:
    """Return what touches a call, the strongest first; a call that only reads is told of guards alone."""
    if not rules:
        return []
    reads_only = call.reads_only()
    guarded = [rule for rule in rules if rule.guard and _is_meant(rule, call, root, reads_only)]
    verdicts = [_verdict(rule) for rule in guarded]
    if not reads_only:
        near = [rule for _, rule in touched(rules, call) if rule not in guarded][:MOST_TOLD]
        verdicts += [RuleVerdict(rule, TELL) if _has_patterns(rule) else _verdict(rule) for rule in near]
    return sorted(verdicts, key=lambda verdict: -STRENGTHS.index(verdict.strength))


def _has_patterns(rule: CompiledRule) -> bool:
    """Say whether a rule's guard names calls; else it stands for the calls that the rule touches."""
    return any(rule.guard.get(key) for key in ("commands", "paths", "tools"))


def _is_meant(rule: CompiledRule, call: Call, root: str, reads_only: bool) -> bool:
    if not _has_patterns(rule):
        return False
    if reads_only and not rule.guard.get("commands") and not rule.guard.get("tools"):
        return False  # looking at a file that is not to be changed is nobody's concern
    from holdfast.recall.act.guards import guard_matches  # most rules have no guard

    return guard_matches(rule.guard, call.tool, call.line, call.files, root)


def _verdict(rule: CompiledRule) -> RuleVerdict:
    strength = rule.guard.get("strength")
    return RuleVerdict(rule, strength if strength in (ASK, DENY) else TELL, rule.guard.get("hard") is True)
