"""The served OpenAPI document is true: what it allows is answered as it says, and no answer is our mistake."""

import subprocess
import sys
from pathlib import Path

from tests.interfaces.http.served import Asking

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
MORE = "negative_data_rejection,unsupported_method,ignored_auth"


def test_generated_requests_get_no_answer_that_is_not_described(ask: Asking, tmp_path: Path) -> None:
    """Streams do not end, and a reindex would take most of the time.

    One worker: of two that read source at the same moment, as Hypothesis does, Python 3.11 may end one with a
    `SystemError` (gh-106905), the more likely the busier the machine.
    """
    ask("POST", "/api/memories", json={"content": "Deploy on Tuesdays"})
    program = Path(sys.executable).with_name("schemathesis")
    words = [
        *("run", f"{ask.url}/openapi.json", "--url", f"{ask.url}/api", "-H", f"Authorization: Bearer {ask.token}"),
        *(
            "--phases",
            "examples,coverage,fuzzing",
            "--max-examples",
            "3",
            "--seed",
            "1",
            "--request-timeout",
            "20",
        ),
        *("--checks", f"{CHECKS},{MORE}", "--exclude-path-regex", "/(events|reindex)", "--workers", "1"),
        *("--no-color",),
    ]
    done = subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
