"""A change of files as calls: what a diff writes into each file, and the commit that its message is for."""

from holdfast.recall.act.match import Call

MESSAGE = "commit message"
_NOWHERE = "/dev/null"


def calls_of_diff(diff: str) -> list[tuple[str, Call]]:
    """Return each file of a unified diff with the call that would have written its new lines."""
    calls: list[tuple[str, Call]] = []
    path, before, added = "", "", list[str]()
    for line in [*diff.splitlines(), "diff --git"]:
        if line.startswith(("--- ", "diff --git")):
            if path:
                calls.append((path, _edit(path, added)))
            path, before, added = "", _path_in(line) if line.startswith("--- ") else "", []
        elif line.startswith("+++ "):
            path = _path_in(line) if _path_in(line) != _NOWHERE else before
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("rename to "):
            path = line.removeprefix("rename to ")
    return calls


def call_of_message(message: str) -> Call:
    """Return the commit that a message is for; what git puts behind `#` is no part of it."""
    text = "\n".join(line for line in message.splitlines() if not line.startswith("#"))
    quoted_text = text.replace("'", "'\\''")
    return Call("Bash", {"command": f"git commit -m '{quoted_text}'"})


def _edit(path: str, added: list[str]) -> Call:
    return Call("Edit", {"file_path": path, "new_string": "\n".join(added)}, (path,))


def _path_in(line: str) -> str:
    """Return the path in a header of a diff, without what git puts before it."""
    path = line[4:].partition("\t")[0].strip().strip('"')
    return path[2:] if path[:2] in ("a/", "b/") else path
