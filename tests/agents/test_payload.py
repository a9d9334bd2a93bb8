"""What a tool was asked, in short."""

from holdfast.agents.events import INPUT_CHARS, request_text
from holdfast.capture.text.redact import redact
from tests.secrets import GITHUB


def test_a_long_input_is_never_cut_inside_a_secret() -> None:
    """Half a token is not recognised as one, so it would be kept."""
    for lead in range(INPUT_CHARS - len(GITHUB) - 4, INPUT_CHARS):
        for given in ({"command": "echo " + "x " * (lead // 2) + GITHUB}, {"text": "y " * (lead // 2) + GITHUB}):
            short = request_text(given)
            assert len(short) <= INPUT_CHARS
            assert GITHUB[:12] not in redact(short)[0]
