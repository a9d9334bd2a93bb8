"""Reading a page by its form: documentation, commands, commits, functions with docstrings, and what people say."""

import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterable

from scripts.static_encoder.gathered import Gathered, flat

SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z0-9\"`'(])")
TRAILER = re.compile(r"^[A-Z][\w-]+(-by|-By|-Id|-URL)?: |^(Fixes|Refs|PR-URL)|^\(")
FUNCTION = re.compile(
    r"^([ \t]*)(?:async )?def (\w+)\(([^\n]*(?:\n[^\n]*){0,6}?)\)(?:\s*->[^\n]*)?:[ \t]*\n"
    r"\s+[rRuU]?(\"\"\"|''')(.*?)\4[ \t]*\n"
    r"((?:(?:\1[ \t]+[^\n]*|[ \t]*)\n){1,30})",
    re.M | re.S,
)


def prose(paragraph: str, kind: str, into: Gathered, share: float = 1.0) -> None:
    """Keep a paragraph's sentences, and now and then the whole of it."""
    paragraph = flat(paragraph)
    if len(paragraph) < 15:
        return
    sentences = SENTENCE.split(paragraph)
    for sentence in sentences:
        if 12 <= len(sentence) <= 400 and random.random() < share:
            into.text(sentence, kind + ".sentence")
    if len(sentences) > 1 and random.random() < 0.2:
        into.text(paragraph[:900], kind + ".paragraph")


def unmark(text: str) -> str:
    """Take the marks off a page of Markdown or reStructuredText."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"(```|~~~).*?\1", "\n\n", text, flags=re.S)
    text = re.sub(r"\{\{<?.*?>?\}\}|\{%.*?%\}", " ", text)
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"<[^>\n]{1,200}>", " ", text)
    text = re.sub(r"!?\[([^\]\n]*)\]\([^)\n]*\)", r"\1", text)
    text = re.sub(r"\[([^\]\n]*)\]\[[^\]\n]*\]", r"\1", text)
    text = re.sub(r":[a-z:]+:`~?!?([^`<]*)(?:<[^>]*>)?`", r"\1", text)
    if random.random() < 0.7:
        text = re.sub(r"``?([^`\n]+)``?", r"\1", text)
    return re.sub(r"(\*\*|__)(.+?)\1", r"\2", text)


def markdown(page: str, into: Gathered) -> None:
    """A page of documentation: headings, sentences, and each heading with what stands under it."""
    plain = unmark(page)
    for block in re.split(r"\n\s*\n", plain):
        lines = block.strip("\n").split("\n")
        if heading := re.match(r"#{1,6}\s+(.*)", lines[0]):
            into.text(heading[1].strip("# "), "docs.heading")
            lines = lines[1:]
        if len(lines) > 1 and re.fullmatch(r"[=\-~^*\"#]{3,}", lines[1]):
            into.text(lines[0], "docs.heading")
            lines = lines[2:]
        if not lines or lines[0].startswith(("    ", "\t", "|", ".. ", ":::")):
            continue
        for item in re.split(r"\n\s*(?:[-*+]|\d+\.)\s+", "\n" + "\n".join(lines)):
            prose(re.sub(r"^\s*>\s?", "", item), "docs", into, 0.62)
    title = re.search(r"^title:\s*['\"]?(.*?)['\"]?$", page, re.M)
    for heading, body in re.findall(r"^#{1,5}\s+(.+)\n+((?:(?!#).*\n?){1,14})", plain, re.M):
        if len(heading.split()) >= 2 and len(body) > 80:
            into.pair(heading if random.random() < 0.5 or not title else f"{title[1]}: {heading}", body, "section")


def tldr(page: str, into: Gathered) -> None:
    """A page of commands: what each is for, with the command."""
    markdown(page, into)
    for purpose, command in re.findall(r"- (.*?):\n\n`(.*)`", page):
        into.pair(purpose, command, "tldr")


def commits(messages: Iterable[str], into: Gathered) -> None:
    """Subjects and bodies of commits, and each subject with its body."""
    for message in messages:
        subject, _, body = message.strip().partition("\x01")
        subject = re.sub(r"\s*\(#\d+\)$", "", subject)
        into.text(subject, "commit.subject")
        body = "\n".join(line for line in body.split("\n") if not TRAILER.match(line)).strip()
        for paragraph in re.split(r"\n\s*\n", body)[:4]:
            if not paragraph.startswith((" ", "\t")):
                prose(paragraph, "commit", into)
        if len(body) > 60:
            into.pair(subject, body, "commit")


ASKED = [
    "python {}",
    "{} python",
    "how to {} in python",
    "python how to {}",
    "{} in python",
    "python code to {}",
    "python function to {}",
    "{}",
]


def asked(docstring: str, name: str) -> str:
    """Return a docstring's first line, or the function's name, as one would type it into a search box."""
    line = re.split(r"[.:;(\n]", docstring.strip())[0].lower()
    line = re.sub(r"[^a-z0-9_ '-]", " ", line)
    line = re.sub(r"^(returns?|gets?) ", "get ", line)
    line = re.sub(r"^(\w{3,}[^s\W])s ", r"\1 ", line)
    kept = [
        word
        for word in line.split()
        if word not in ("the", "a", "an", "this", "given", "that") or random.random() < 0.3
    ][:9]
    if len(kept) < 2:
        kept = re.sub(r"_+", " ", name).lower().split()
    return random.choice(ASKED).format(" ".join(kept))


def python(source: str, into: Gathered) -> None:
    """Functions with a docstring: its first paragraph, the name, the code, and questions one would ask for it."""
    if len(source) > 200_000:
        return
    for found in FUNCTION.finditer(source):
        name, arguments, docstring, body = found[2], found[3], found[5].strip(), found[6]
        if name.startswith("__") or not docstring:
            continue
        first, signature = re.split(r"\n\s*\n", docstring)[0], f"def {name}({arguments}):"
        into.text(first[:300], "docstring.first")
        into.text(re.sub(r"_+", " ", name), "code.name")
        if random.random() < 0.3:
            into.text((signature + "\n" + body)[:600], "code.function")
        whole = f'{signature}\n"""{docstring}"""\n{body}'
        into.pair(first[:150], whole if random.random() < 0.35 else f"{signature}\n{body}", "code")
        if random.random() < 0.3:
            into.pair("python " + re.sub(r"_+", " ", name), whole, "codename")
        query = asked(docstring, name)
        into.pair(query, whole if random.random() < 0.6 else f"{signature}\n{body}", "codequery")
        into.text(query, "query.code")


def speak(turns: Iterable[str], into: Gathered) -> None:
    """Keep what people say, in sentences and now and then whole."""
    for turn in turns:
        sentences = SENTENCE.split(turn)
        if len(sentences) == 1 or random.random() < 0.25:
            into.text(turn[:600], "talk.turn")
        for sentence in sentences:
            into.text(sentence, "talk.sentence")


def utterances(page: str) -> list[str]:
    """Return the turns of dialogues."""
    return [turn.get("text", "") for dialogue in json.loads(page) for turn in dialogue.get("utterances", [])]


def intents(page: str) -> list[str]:
    """Return the questions of an intent set."""
    return [text for rows in json.loads(page).values() for text, _ in rows]


def slots(page: str) -> list[str]:
    """Return the commands of a slot-filling set."""
    return ["".join(part["text"] for part in row["data"]) for rows in json.loads(page).values() for row in rows]


def table(page: str) -> list[str]:
    """Return the first column of a table."""
    return [row[0] for row in csv.reader(io.StringIO(page)) if row][1:]


def problems(page: str) -> list[str]:
    """Return the questions of word problems."""
    return [json.loads(line)["question"] for line in page.split("\n") if line.startswith('{"question"')]


def book(page: str) -> list[str]:
    """Return a book's paragraphs, without what its publisher put around them."""
    inside = re.split(r"\*\*\* ?(?:START|END) OF.*?\*\*\*", page)
    return re.split(r"\n\s*\n", inside[1] if len(inside) == 3 else "")


SPOKEN: dict[str, Callable[[str], list[str]]] = {
    "utterances": utterances,
    "intents": intents,
    "slots": slots,
    "table": table,
    "problems": problems,
    "book": book,
    "lines": lambda page: page.split("\n"),
}

PAGES: dict[str, Callable[[str, Gathered], None]] = {"markdown": markdown, "tldr": tldr, "python": python}
