"""The table of the static question encoder: which pairs have a row, what a text adds up to, and its file."""

import json
import struct
from pathlib import Path
from zlib import crc32

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - as its users write it
from numpy.typing import NDArray
from tokenizers import Tokenizer

from scripts.static_encoder.teacher import DIMENSIONS, say, word_pieces

PIECES = 30_522
FIRST_REAL = 999
"""Pieces up to this are marks and unused."""

PAIRS_TRAINED = 16_000
PAIRS_KEPT = 10_000
FEWEST = 12
"""Times that a pair must have been seen."""

EPOCHS, RATE, BATCH, KL, NCE, HEAT, BANK = 12, 3e-3, 8192, 2.0, 0.1, 0.05, 2048
CHECKS = [
    "how do we handle retries in the payment worker?",
    "Why did we choose SQLite over PostgreSQL for the local store?",
    "python sort dict by value descending",
    "When did Caroline go to the LGBTQ support group?",
    "TypeError: 'NoneType' object is not subscriptable",
    "Déjà vu in a naïve café, 漢字 and “quotes” …",
    "x",
    "def read_config(path: str) -> dict:\n    return json.loads(open(path).read())",
]


def frequent_pairs(ids: torch.Tensor) -> torch.Tensor:
    """Return neighbours seen more often than each alone explains, as first * PIECES + second, sorted."""
    a, b = ids[:, :-1].long(), ids[:, 1:].long()
    real = (a > FIRST_REAL) & (b > FIRST_REAL)
    codes, seen = (a * PIECES + b)[real].unique(return_counts=True)
    codes, seen = codes[seen >= FEWEST], seen[seen >= FEWEST].double()
    alone = torch.bincount(ids.long().flatten(), minlength=PIECES).double()
    gain = seen * torch.log(seen * alone[1000:].sum() / (alone[codes // PIECES] * alone[codes % PIECES]))
    return codes[gain.topk(min(PAIRS_TRAINED, len(codes))).indices].sort().values


def with_pairs(ids: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """Return the pieces with the rows of their pairs behind them; 0 where there is none."""
    code = ids[:, :-1].long() * PIECES + ids[:, 1:].long()
    at = torch.searchsorted(codes, code).clamp(max=len(codes) - 1)
    return torch.cat([ids.int(), torch.where(codes[at] == code, at + PIECES, 0).int()], 1)


def added_up(table: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Return the unit vectors of texts given as rows of the table."""
    real = rows > 0
    counts = real.sum(1)
    return F.normalize(F.embedding_bag(rows[real].long(), table, counts.cumsum(0) - counts, mode="sum"), dim=-1)


def hash_table(raw: list[bytes], slots: int) -> NDArray[np.generic]:
    """Return piece numbers + 1 by CRC-32, the next free slot where one is taken."""
    table = np.zeros(slots, "<u2")
    for number, text in enumerate(raw, 1):
        slot = crc32(text) & (slots - 1)
        while table[slot]:
            slot = (slot + 1) & (slots - 1)
        table[slot] = number
    return table


def pair_table(codes: list[int], first_row: int, slots: int) -> NDArray[np.generic]:
    """Return (code, row) of pairs by a multiplicative hash, the next free slot where one is taken."""
    table = np.zeros((slots, 2), "<u4")
    for row, code in enumerate(codes, first_row):
        slot = (code * 2654435761 >> 12) & (slots - 1)
        while table[slot, 1]:
            slot = (slot + 1) & (slots - 1)
        table[slot] = code, row
    return table


def write(
    path: Path,
    table: torch.Tensor,
    keep: torch.Tensor,
    codes: torch.Tensor,
    vocabulary: list[str],
    tokenizer: Tokenizer,
) -> None:
    """Round the table to int8, keep the strongest pairs, write the file and the vectors to check it by."""
    scale = table.abs().amax(1).clamp(min=1e-9) / 127
    whole = torch.round(table / scale[:, None]).to(torch.int8)
    strength = (whole[PIECES:].float() * scale[PIECES:, None]).norm(dim=1)
    strongest = strength.topk(min(PAIRS_KEPT, len(codes))).indices.sort().values
    pieces = keep.nonzero()[:, 0]
    rows = torch.cat([pieces, strongest + PIECES])
    raw = [piece.encode() for piece in vocabulary]
    row_of = np.full(PIECES, 0xFFFF, "<u2")
    row_of[pieces.cpu().numpy()] = np.arange(len(pieces))
    slots = 1 << 15
    parts = [
        hash_table(raw, 1 << 16).tobytes(),
        np.concatenate([[0], np.cumsum([len(text) for text in raw])]).astype("<u4").tobytes(),
        row_of.tobytes(),
        pair_table(codes[strongest].tolist(), len(pieces), slots).tobytes(),
        scale[rows].cpu().numpy().astype("<f4").tobytes(),
        whole[rows].cpu().numpy().tobytes(),
        b"".join(raw),
    ]
    starts, body = [], b""
    for part in parts:
        body += b"\0" * (-len(body) % 64)
        starts.append(128 + len(body))
        body += part
    head = struct.pack("<8s4I7I", b"HFSTAT1\0", DIMENSIONS, PIECES, len(rows), slots, *starts)
    path.with_suffix(".bin").write_bytes(head.ljust(128, b"\0") + body)
    ids, _ = word_pieces(tokenizer, CHECKS, 64)
    cut = torch.zeros_like(table)
    cut[rows] = whole[rows].float() * scale[rows, None]
    exact, ours = added_up(table, with_pairs(ids, codes)), added_up(cut, with_pairs(ids, codes))
    say(
        path.name,
        128 + len(body),
        "bytes,",
        len(rows),
        "rows; cosine to the table before rounding and cutting",
        [round(x, 4) for x in (exact * ours).sum(1).tolist()],
    )
    checks = [
        {"text": text, "vector": [round(x, 5) for x in vector]}
        for text, vector in zip(CHECKS, ours.tolist(), strict=True)
    ]
    path.with_suffix(".check.json").write_text(json.dumps(checks), "utf-8")
