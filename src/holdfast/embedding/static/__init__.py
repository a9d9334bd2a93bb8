"""A question's vector without a model runtime: word pieces and frequent pairs of them, one row of a table each.

Lives here: the table, what it was made from (SOURCES.md, the attribution) and the code that reads it. Must not
live here: searching, and documents, whose vectors come from the model whose space the table lies in. Light, and
nothing but the standard library.

The table is mapped, not read: a question touches a few dozen of 37,677 rows. It is little-endian, and
every part begins at a multiple of 64:

    0    8 bytes   "HFSTAT1\\0"
    8    4 x u32   dimensions (384), pieces of the vocabulary (30522), rows, slots of the pair table (power of two)
    24   7 x u32   where the parts begin, in this order:
         65536 x u16        piece number + 1 by CRC-32 of its text (UTF-8), next slot where one is taken; 0: empty
         (pieces + 1) x u32 where each piece's text begins in the last part
         pieces x u16       the piece's row; 0xFFFF: it has none
         slots x (u32, u32) code and row of a pair, code = first * pieces + second; row 0: empty
         rows x f32         what the row's numbers are multiplied by
         rows x 384 x i8    the rows
         bytes              the pieces' texts, one after the other
"""

import mmap
import os
import struct
import unicodedata
from array import array
from functools import cache
from itertools import pairwise
from zlib import crc32

from holdfast.errors import ModelUnusable
from holdfast.model.patterns import regex

TABLE = os.path.join(os.path.dirname(__file__), "static.bin")
RECORD = os.path.join(os.path.dirname(__file__), "table.json")
"""Names the files with their SHA-256."""

SPACE = "all-MiniLM-L6-v2-int8"
"""The model whose vectors these questions can be held against."""

MAGIC = b"HFSTAT1\0"
_HEADER = struct.Struct("<8s4I7I")
_PIECE_SLOTS = 1 << 16
_NO_ROW = 0xFFFF
_UNKNOWN, _FIRST, _LAST = 100, 101, 102
"""[UNK], [CLS] and [SEP] of the vocabulary."""

_LONGEST_WORD = 100
"""Characters; a longer one is unknown, as the tokenizer has it."""

MOST_PIECES = 254
"""With the two marks around them, as many as the model takes in."""

_HASH_FACTOR = 2_654_435_761
_HASH_SHIFT = 12

_ASCII_WORD = regex(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_REPLACEMENT = "\ufffd"
_CHINESE = (
    ("\u4e00", "\u9fff"),
    ("\u3400", "\u4dbf"),
    ("\U00020000", "\U0002a6df"),
    ("\U0002a700", "\U0002b73f"),
    ("\U0002b740", "\U0002b81f"),
    ("\U0002b820", "\U0002ceaf"),
    ("\uf900", "\ufaff"),
    ("\U0002f800", "\U0002fa1f"),
)


class StaticEncoder:
    """Vectors of questions, in the space of the bundled model's documents."""

    def __init__(self, path: str = TABLE) -> None:
        data = _map_file(path)
        _, self.dimensions, self._pieces, rows, self._pair_slots, *starts = _header(data, path)
        sizes = (
            2 * _PIECE_SLOTS,
            4 * (self._pieces + 1),
            2 * self._pieces,
            8 * self._pair_slots,
            4 * rows,
            rows * self.dimensions,
        )
        parts = [data[start : start + size] for start, size in zip(starts, sizes, strict=False)]
        if [len(part) for part in parts] != list(sizes):
            raise ModelUnusable(problem=f"{os.path.basename(path)} is cut short; install holdfast again")
        self._numbers = parts[0].cast("H")
        self._text_starts = parts[1].cast("I")
        self._row_of = parts[2].cast("H")
        self._pairs = parts[3].cast("I")
        self._scales = parts[4].cast("f")
        self._rows = parts[5].cast("b")
        self._texts = data[starts[-1] :]

    def encode(self, text: str) -> "array[float]":
        """Return the vector of a text, of length 1."""
        width = self.dimensions
        total = [0.0] * width
        for row in self._rows_of(self.pieces(text)):
            scale = self._scales[row]
            numbers = self._rows[row * width : (row + 1) * width].tolist()
            total = [before + scale * number for before, number in zip(total, numbers, strict=True)]
        length = sum([number * number for number in total]) ** 0.5 or 1.0
        return array("f", [number / length for number in total])

    def pieces(self, text: str) -> "list[int]":
        """Return the numbers of a text's word pieces, as the model's own tokenizer gives them."""
        numbers: list[int] = []
        for word in words(text):
            numbers += self._word_pieces(word)
            if len(numbers) >= MOST_PIECES:
                break
        return [_FIRST, *numbers[:MOST_PIECES], _LAST]

    def _rows_of(self, pieces: "list[int]") -> "list[int]":
        """Return the rows to add up: those of the pieces, then those of the pairs that have one."""
        single = [row for piece in pieces if (row := self._row_of[piece]) != _NO_ROW]
        return single + [row for first, second in pairwise(pieces) if (row := self._pair_row(first, second))]

    def _word_pieces(self, word: str) -> "list[int]":
        """Cut a word into the longest pieces there are, from its start; unknown where a part has none."""
        if len(word) > _LONGEST_WORD:
            return [_UNKNOWN]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for stop in range(len(word), start, -1):
                number = self._number(f"{mark}{word[start:stop]}".encode())
                if number >= 0:
                    break
            else:
                return [_UNKNOWN]
            numbers.append(number)
            start = stop
        return numbers

    def _number(self, piece: bytes) -> int:
        """Return a piece's number, -1 where there is no such piece."""
        slot = crc32(piece) & (_PIECE_SLOTS - 1)
        while following := self._numbers[slot]:
            if self._texts[self._text_starts[following - 1] : self._text_starts[following]] == piece:
                return following - 1
            slot = (slot + 1) & (_PIECE_SLOTS - 1)
        return -1

    def _pair_row(self, first: int, second: int) -> int:
        """Return the row of a pair of pieces, 0 where it has none."""
        code = first * self._pieces + second
        slot = (code * _HASH_FACTOR >> _HASH_SHIFT) & (self._pair_slots - 1)
        while row := self._pairs[2 * slot + 1]:
            if self._pairs[2 * slot] == code:
                return row
            slot = (slot + 1) & (self._pair_slots - 1)
        return 0


@cache
def bundled() -> StaticEncoder:
    """Return the encoder of the table that comes with the package, mapped once in a process."""
    return StaticEncoder()


def _map_file(path: str) -> memoryview:
    try:
        with open(path, "rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise ModelUnusable(problem=f"{os.path.basename(path)} cannot be read: {error}") from error


def _header(data: memoryview, path: str) -> "tuple[int, ...]":
    if len(data) < _HEADER.size or data[: len(MAGIC)] != MAGIC:
        raise ModelUnusable(problem=f"{os.path.basename(path)} is not the table of a static encoder")
    return _HEADER.unpack_from(data)


def words(text: str) -> "list[str]":
    """Split a text into words as BERT's tokenizer does before it looks for word pieces: in lower case, accents
    off, punctuation and Chinese characters on their own."""
    if text.isascii():  # nearly every prompt, at a tenth of the cost
        return _ASCII_WORD.findall((text if text.isprintable() else text.translate(_CONTROL)).lower())
    decomposed_text = unicodedata.normalize("NFD", "".join(map(_clean_char, text)))
    bare = "".join(char for char in decomposed_text if unicodedata.category(char) != "Mn").lower()
    return "".join(f" {char} " if _is_punctuation(char) else char for char in bare).split()


def _clean_char(char: str) -> str:
    """Return a character without what the tokenizer ignores; a Chinese one between spaces."""
    category = unicodedata.category(char)
    if char in "\t\n\r" or category == "Zs":
        return " "
    if category[0] == "C" or char == _REPLACEMENT:
        return ""
    return f" {char} " if any(first <= char <= last for first, last in _CHINESE) else char


def _is_punctuation(char: str) -> bool:
    if char.isascii():
        return char.isprintable() and not char.isalnum() and char != " "
    return unicodedata.category(char)[0] == "P"
