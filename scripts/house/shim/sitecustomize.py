"""Note the files of holdfast in which a function ran; Python imports this at the start of each traced process.

A function counts when it was called, in any thread, other than while a module was being imported: imports define
classes and fill tables. Bodies of modules and classes are no functions; lambdas and comprehensions are.
The folder HOUSE_TRACE gets `PID.begun` at the start, and `PID.done` with the files at the end.
"""

import atexit
import inspect
import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType

_FOLDER = os.environ.get("HOUSE_TRACE", "")
_FUNCTION = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS
_PACKAGE = f"{os.sep}holdfast{os.sep}"
_called: set[CodeType] = set()
_leave = os._exit


def _note(frame: FrameType, event: str, _argument: object) -> None:
    code = frame.f_code
    if event == "call" and code not in _called and _is_function(code) and not _is_importing(frame):
        _called.add(code)


def _is_function(code: CodeType) -> bool:
    return _PACKAGE in code.co_filename and code.co_flags & _FUNCTION == _FUNCTION


def _is_importing(frame: FrameType) -> bool:
    """Return whether a module of ours, other than the program itself, is being run below this frame."""
    above = frame.f_back
    while above is not None:
        is_module = above.f_code.co_name == "<module>" and _PACKAGE in above.f_code.co_filename
        if is_module and above.f_globals.get("__name__") != "__main__":
            return True
        above = above.f_back
    return False


def _tell() -> None:
    sys.setprofile(None)
    files = sorted({code.co_filename for code in _called})
    Path(_FOLDER, f"{os.getpid()}.done").write_text("\n".join(files), encoding="utf-8")


def _exit(status: int) -> None:
    _tell()
    _leave(status)


if _FOLDER:
    Path(_FOLDER, f"{os.getpid()}.begun").touch()
    os._exit = _exit  # type: ignore[assignment]  # it returns no more than the one it replaces
    atexit.register(_tell)
    threading.setprofile(_note)
    sys.setprofile(_note)
