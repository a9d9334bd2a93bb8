"""Command lines as a shell would read them, far enough to know which programs run with which words. Light.

Quotes, `&&`, `;`, pipes, `$(…)`, `sh -c`, here-documents, assignments in front, and programs that run other
programs (sudo, env, xargs, timeout …) are followed. Expansion of variables and control flow are not: their words
are passed over.
"""

from collections.abc import Iterator

MOST_CHARS, MOST_DEPTH = 20_000, 4

_SEPARATORS = "\n;&|()"
_KEYWORDS = frozenset(
    "if then else elif fi for while until do done case esac in { } ! time function select".split()
)
_SHELLS = frozenset("sh bash zsh dash ksh fish ash".split())
_RUNNERS = {
    "sudo": "ugpCDRTh", "doas": "uC", "env": "uCS", "nohup": "", "nice": "n", "ionice": "cn", "exec": "a",
    "command": "", "builtin": "", "xargs": "IPnLdEsa", "timeout": "ks", "stdbuf": "ioe", "setsid": "",
    "time": "fo", "caffeinate": "", "winpty": "", "npx": "p", "bunx": "", "watch": "n", "strace": "eo",
}  # fmt: skip
"""Programs that run the command behind them, with their options of one letter that take a value."""

_READING = frozenset(
    "cat less more head tail grep egrep rg ag ls find fd tree wc diff stat file du df pwd cd echo printf "
    "which type sort uniq cut jq sleep true date whoami env export test [ read ps lsof nl column awk "
    "basename dirname realpath".split()
)
_READING_GIT = frozenset("status log diff show blame branch remote rev-parse ls-files grep describe fetch".split())

Command = list[str]
"""The words of one simple command, the program first, without its folder."""


def commands_of(line: str, depth: int = 0) -> list[Command]:
    """Return the simple commands that a command line runs, those within others after them."""
    commands: list[Command] = []
    for words, inner in _simple_commands(line[:MOST_CHARS]):
        commands += _unwrapped(words, depth)
        if depth < MOST_DEPTH:
            for nested in inner:
                commands += commands_of(nested, depth + 1)
    return [command for command in commands if command]


def only_reads(command: Command) -> bool:
    """Say whether a command only looks, so that no rule about changes can be broken by it."""
    if command[0] == "git":
        return next((word for word in command[1:] if not word.startswith("-")), "") in _READING_GIT
    return command[0] in _READING


def _unwrapped(words: Command, depth: int) -> list[Command]:
    """Return a command without assignments, keywords and the programs that run it; of a shell, what it runs."""
    while words:
        name = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
        if _is_assignment(words[0]) or name in _KEYWORDS:
            words = words[1:]
        elif name in _RUNNERS and len(words) > 1:
            words = _behind_options(words[1:], _RUNNERS[name], takes_number=name == "timeout")
        elif name in _SHELLS or name == "eval":
            script = _script(words) if name != "eval" else " ".join(words[1:])
            return commands_of(script, depth + 1) if script and depth < MOST_DEPTH else [[name, *words[1:]]]
        elif name.startswith("python") and words[1:2] == ["-m"] and len(words) > 2:
            words = words[2:]
        elif name == "find" and any(word in ("-exec", "-execdir") for word in words):
            start = next(index for index, word in enumerate(words) if word in ("-exec", "-execdir"))
            return [[name, *words[1:start]], *_unwrapped(words[start + 1 :], depth)]
        else:
            return [[name, *words[1:]]]
    return []


def _behind_options(words: Command, with_value: str, *, takes_number: bool) -> Command:
    """Return the words behind a runner's options."""
    index = 0
    while index < len(words) and words[index].startswith("-") and words[index] != "-":
        word = words[index]
        index += 1
        if word == "--":
            break
        if len(word) == 2 and word[1] in with_value:
            index += 1
    return words[index + 1 :] if takes_number else words[index:]


def _script(words: Command) -> str:
    """Return what a shell is given with -c, or on standard input."""
    for index, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[index + 1] if index + 1 < len(words) else ""
        if word.startswith("<<"):
            return word[2:]
    return ""


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _simple_commands(line: str) -> Iterator[tuple[Command, list[str]]]:
    """Cut a line into simple commands, each with the lines of its substitutions; a here-document is one word."""
    reader = _WordReader(line)
    while not reader.at_end():
        command, inner = reader.command()
        if command or inner:
            yield command, inner


class _WordReader:
    """Reads words from a line, character by character, as a POSIX shell quotes them."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0
        self._documents: list[tuple[str, Command]] = []

    def at_end(self) -> bool:
        return self._at >= len(self._line)

    def command(self) -> tuple[Command, list[str]]:
        """Read up to the next separator."""
        words: Command = []
        inner: list[str] = []
        while not self.at_end():
            char = self._line[self._at]
            if char in _SEPARATORS:
                self._at += 1
                if char == "\n":
                    self._read_documents()
                if char == "&" and self._line[self._at : self._at + 1] == ">":
                    self._redirection(words, inner)
                    continue
                break
            if char in " \t\r" or (char == "\\" and self._line[self._at + 1 : self._at + 2] == "\n"):
                self._at += 1 + (char == "\\")
            elif char == "#":
                end = self._line.find("\n", self._at)
                self._at = len(self._line) if end < 0 else end
            elif char in "<>" and self._line[self._at + 1 : self._at + 2] != "(":
                self._redirection(words, inner)
            else:
                word = self._word(inner)
                if word.isdigit() and self._line[self._at : self._at + 1] in ("<", ">"):
                    continue  # the number of a redirected handle
                words.append(word)
        if self.at_end():
            self._read_documents()
        return words, inner

    def _redirection(self, words: Command, inner: list[str]) -> None:
        """Pass over where input comes from and output goes; a file that is written stays as `>file`."""
        start = self._at
        while not self.at_end() and self._line[self._at] in "<>&|-":
            self._at += 1
        operator = self._line[start : self._at]
        while not self.at_end() and self._line[self._at] in " \t":
            self._at += 1
        if self.at_end() or self._line[self._at] in _SEPARATORS:
            return
        word = self._word(inner)
        if operator in ("<<", "<<-"):
            self._documents.append((word, words))
        elif operator == "<<<":
            words.append("<<" + word)
        elif ">" in operator and not word.isdigit() and not word.startswith("/dev/"):
            words.append(">" + word)

    def _read_documents(self) -> None:
        """Take the lines of the here-documents that begin here as a word of the command each belongs to."""
        for mark, words in self._documents:
            lines = []
            while not self.at_end():
                end = self._line.find("\n", self._at)
                line = self._line[self._at : end if end >= 0 else len(self._line)]
                self._at = end + 1 if end >= 0 else len(self._line)
                if line.strip() == mark:
                    break
                lines.append(line)
            words.append("<<" + "\n".join(lines))
        self._documents = []

    def _word(self, inner: list[str]) -> str:
        """Read one word; what stands in `$(…)` or backquotes is a line of its own, also in double quotes."""
        chars: list[str] = []
        quote = ""
        while not self.at_end():
            char = self._line[self._at]
            following = self._line[self._at + 1 : self._at + 2]
            if quote == "'":
                quote = "" if char == quote else quote
                chars.append("" if not quote else char)
            elif char == "\\" and following:
                self._at += 1
                chars.append("" if following == "\n" else following)
            elif char == "`" or (char in "$<>" and following == "("):
                inner.append(self._substitution(char))
                continue
            elif quote:
                quote = "" if char == quote else quote
                chars.append("" if not quote else char)
            elif char in "'\"":
                quote = char
            elif char in " \t\r" or char in _SEPARATORS or char in "<>":
                break
            else:
                chars.append(char)
            self._at += 1
        return "".join(chars)

    def _substitution(self, opening: str) -> str:
        """Read a substitution to its end, and return what runs in it."""
        if opening == "`":
            end = self._line.find("`", self._at + 1)
            end = len(self._line) if end < 0 else end
            text = self._line[self._at + 1 : end]
            self._at = end + 1
            return text
        start, depth = self._at + 2, 0
        while not self.at_end():
            char = self._line[self._at]
            depth += (char == "(") - (char == ")")
            self._at += 1
            if char == ")" and not depth:
                break
        return self._line[start : self._at - 1]
