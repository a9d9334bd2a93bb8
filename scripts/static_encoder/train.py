"""Train the static question encoder: one vector a word piece and one a frequent pair of pieces, added up.

Documents keep the vectors of the bundled model (all-MiniLM-L6-v2, the teacher). So a question's sum must point
where the teacher's vector of the same text points (cosine), order other texts as it does (KL over a bank of
teacher vectors), and, where a passage that answers it is known, be nearest to that passage (InfoNCE against the
teacher's vectors, which stay).

usage: python -m scripts.static_encoder.train WEIGHTS TOKENIZER.json TEXTS.xz PAIRS.xz OUT [NAME=KIND,KIND...]...

WEIGHTS    the teacher's model.safetensors, or an .npz with the same names
OUT        folder for NAME.bin (what the package reads) and NAME.check.json (vectors to check it by)
NAME=...   a table to train, and the kinds of texts and pairs it does without; 'static=' alone where none is named

Needs a GPU with much memory (how little would do was not tried), PyTorch, NumPy and tokenizers.
Two runs give close tables, not the same bytes.
"""

import lzma
import math
import random
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - as its users write it
from tokenizers import Tokenizer

from scripts.static_encoder.table import PIECES, added_up, frequent_pairs, with_pairs, write
from scripts.static_encoder.teacher import DEVICE, DIMENSIONS, LAST, Teacher, read_weights, say, word_pieces

LONGEST = 96
EPOCHS = 12
RATE = 3e-3
BATCH = 8_192
KL = 2.0
NCE = 0.1
HEAT = 0.05
BANK = 2_048


def lines_of(path: str) -> list[str]:
    """Return the lines of a compressed file."""
    with lzma.open(path, "rt", encoding="utf-8") as handle:
        return handle.read().split("\n")


class Lessons:
    """The texts and pairs with the teacher's vectors."""

    def __init__(self, teacher: Teacher, tokenizer: Tokenizer, texts_path: str, pairs_path: str) -> None:
        rows = [line.rsplit("\t", 1) for line in lines_of(texts_path) if "\t" in line]
        texts, kinds = [text for text, _ in rows], [kind for _, kind in rows]
        known = set(texts)
        for text, kind in rows:  # spans of 2 to 12 words: questions are short
            words = text.split()
            if len(words) < 5 or kind.startswith(("template", "wordnet.word")):
                continue
            for _ in range(2 if len(words) > 12 else 1):
                size = random.randint(2, min(12, len(words) - 1))
                at = random.randint(0, len(words) - size)
                span = " ".join(words[at : at + size]).strip('.,;:()"')
                if span not in known:
                    known.add(span)
                    texts.append(span)
                    kinds.append(kind)
        say("texts", len(rows), "with spans", len(texts))
        self.ids, lengths = word_pieces(tokenizer, texts, LONGEST)
        self.vectors = teacher.embed(self.ids, lengths)
        self.kinds = np.array(kinds)
        pairs = [line.split("\t") for line in lines_of(pairs_path) if line.count("\t") == 2]
        self.questions, lengths = word_pieces(tokenizer, [pair[0] for pair in pairs], 64)
        passages, passage_lengths = word_pieces(tokenizer, [pair[1] for pair in pairs], 224)
        self.passages = teacher.embed(passages, passage_lengths)
        self.pair_kinds = np.array([pair[2] for pair in pairs])
        say(
            "pairs",
            len(pairs),
            {kind: int((self.pair_kinds == kind).sum()) for kind in sorted(set(self.pair_kinds))},
        )


def first_table(teacher: Teacher, frequency: torch.Tensor, kept: torch.Tensor, pairs: int) -> torch.Tensor:
    """Return where training starts: the teacher's vector of each piece, frequent ones small; pairs at 0."""
    numbers = torch.arange(PIECES, device=DEVICE)
    alone = torch.stack([torch.full_like(numbers, 101), numbers, torch.full_like(numbers, LAST)], 1)
    single = torch.cat([teacher(part) for part in alone.split(16384)])
    weight = (1e-3 / (1e-3 + frequency / frequency[1:].sum())).float()
    weight[[0, 101, LAST]] = 0
    table = torch.zeros(PIECES + pairs, DIMENSIONS, device=DEVICE)
    table[:PIECES] = (single - 0.7 * single[1000:].mean(0)) * weight[:, None] * kept[:, None]
    return table


def fit(
    lessons: Lessons, teacher: Teacher, vocabulary: list[str], without: set[str]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Train a table; return it with the pieces kept and the pairs."""
    torch.manual_seed(1)
    random.seed(1)
    used = torch.tensor(~np.isin(lessons.kinds, list(without)), device=DEVICE)
    held = torch.arange(len(used), device=DEVICE) % 97 == 0
    learn, test = (used & ~held).nonzero()[:, 0], (used & held).nonzero()[:, 0][:20_000]
    frequency = torch.bincount(lessons.ids[learn].long().flatten(), minlength=PIECES).double()
    kept = [
        (piece.isascii() and not piece.startswith("[unused")) or seen >= 20
        for piece, seen in zip(vocabulary, frequency.tolist(), strict=True)
    ]
    keep = torch.tensor(kept, device=DEVICE)
    keep[0] = False
    codes = frequent_pairs(lessons.ids[learn])
    table = torch.nn.Parameter(first_table(teacher, frequency, keep, len(codes)))
    rows, asked = with_pairs(lessons.ids, codes), with_pairs(lessons.questions, codes)
    groups = [
        torch.tensor((lessons.pair_kinds == kind).nonzero()[0], device=DEVICE)
        for kind in sorted(set(lessons.pair_kinds) - without)
    ]
    optimizer = torch.optim.Adam([table], lr=RATE, betas=(0.9, 0.99), fused=True)
    steps = len(learn) // BATCH
    for epoch in range(EPOCHS):
        order = learn[torch.randperm(len(learn), device=DEVICE)]
        for step in range(steps):
            done = (epoch * steps + step) / (EPOCHS * steps)
            optimizer.param_groups[0]["lr"] = RATE * (0.49 * (1 + math.cos(math.pi * done)) + 0.02)
            batch = order[step * BATCH : (step + 1) * BATCH]
            ours, theirs = added_up(table, rows[batch]), lessons.vectors[batch].float()
            loss = (1 - (ours * theirs).sum(1)).mean()
            drawn = torch.randint(len(lessons.passages), (BANK,), device=DEVICE)
            bank = torch.cat([theirs[:BANK], lessons.passages[drawn].float()])
            with torch.autocast("cuda", torch.bfloat16):
                near, goal = ours @ bank.T, theirs @ bank.T
            loss = loss + KL * F.kl_div(
                F.log_softmax(near.float() / HEAT, 1), F.softmax(goal.float() / HEAT, 1), reduction="batchmean"
            )
            group = groups[random.randrange(len(groups))]
            some = group[torch.randint(len(group), (BANK,), device=DEVICE)]
            answers = lessons.passages[some].float()
            same = (answers @ answers.T > 0.98).fill_diagonal_(False)
            scores = (added_up(table, asked[some]) @ answers.T / HEAT).masked_fill(same, -1e4)
            loss = loss + NCE * F.cross_entropy(scores, torch.arange(BANK, device=DEVICE))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                table[:PIECES].mul_(keep[:, None])
    with torch.no_grad():
        cosine = torch.cat(
            [(added_up(table, rows[part]) * lessons.vectors[part].float()).sum(1) for part in test.split(BATCH)]
        ).mean()
    say(
        "texts",
        len(learn),
        "pieces",
        int(keep.sum()),
        "steps",
        EPOCHS * steps,
        f"loss {loss.item():.3f} cosine on texts kept back {float(cosine):.4f}",
    )
    return table.detach(), keep, codes


def main() -> None:
    """Train the tables that are asked for."""
    weights, tokenizer_path, texts, pairs, out, *wanted = sys.argv[1:]
    random.seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    tokenizer = Tokenizer.from_file(tokenizer_path)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    vocabulary = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    teacher = Teacher(read_weights(weights))
    lessons = Lessons(teacher, tokenizer, texts, pairs)
    for one in wanted or ["static="]:
        name, _, without = one.partition("=")
        table, keep, codes = fit(lessons, teacher, vocabulary, set(filter(None, without.split(","))))
        write(Path(out, name), table, keep, codes, vocabulary, tokenizer)


if __name__ == "__main__":
    main()
