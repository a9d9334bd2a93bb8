"""What a turn settles: what a person asks for, and what a person takes over from an agent.

An agent alone settles nothing: what it calls agreed, plans or diagnoses becomes a finding only once a person took
it over. Which findings are new, and what a later turn takes back, is the business of `extract` and `retractions`.
"""

from collections.abc import Iterator, Sequence

from holdfast.capture.sessions.findings.accepted import accepted, settles
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.asked import asked
from holdfast.capture.sessions.findings.proposals import FindingDraft
from holdfast.capture.sessions.findings.recaps import recap_proposals


def turn_proposals(now: Act, before: Sequence[Act]) -> Iterator[FindingDraft]:
    """Yield what a turn settles or may settle."""
    if now.by_agent:
        yield from recap_proposals(now, before)
    if not now.by_user:
        return
    acceptances = list(accepted(now, before))
    yield from asked(now, before, spare=settles if acceptances else None)
    yield from acceptances
