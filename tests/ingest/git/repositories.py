"""Small git repositories for tests, made quickly."""

import json
import subprocess
from pathlib import Path

START = 1_760_000_000


class Repository:
    """A repository that commits without touching its working tree."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self._made = 0

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        """Run git here."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments], input=stdin, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def commit(
        self,
        message: str,
        *files: str,
        author: str = "Ada <ada@example.com>",
        branch: str = "main",
        at: int | None = None,
    ) -> str:
        """Commit; return the id."""
        self._made += 1
        raw = message.encode("utf-8", "surrogateescape")
        lines = [
            f"commit refs/heads/{branch}".encode(),
            f"committer {author} {at if at is not None else START + self._made * 3600} +0000".encode(),
        ]
        lines += [b"data %d" % len(raw), raw]
        if self._has(branch):
            lines.append(f"from refs/heads/{branch}^0".encode())
        for file in files or ("notes.txt",):
            body = f"{self._made}\n".encode()
            lines += [b"M 100644 inline " + json.dumps(file).encode(), b"data %d" % len(body), body]
        self.git("fast-import", "--quiet", stdin=b"\n".join(lines) + b"\n")
        return self.git("rev-parse", branch)

    def lose(self, name: str) -> None:
        """Damage the repository: an object of it is gone."""
        for pack in (self.path / ".git" / "objects" / "pack").glob("*.pack"):
            raw = pack.read_bytes()
            pack.unlink()
            self.git("unpack-objects", "-q", stdin=raw)
        lost = self.git("rev-parse", name)
        (self.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()

    def _has(self, branch: str) -> bool:
        return bool(self.git("for-each-ref", f"refs/heads/{branch}"))
