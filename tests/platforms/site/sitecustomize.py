"""Read by every interpreter that has this folder on its path: makes it another system where a test says so."""

import os
import sys

if "FAKE_PLATFORM" in os.environ:
    sys.path.insert(0, os.environ["FAKE_ROOT"])
    from tests.platforms.disguise import disguise

    sys.path.pop(0)
    disguise(os.environ["FAKE_PLATFORM"])
