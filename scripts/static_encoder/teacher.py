"""all-MiniLM-L6-v2 on a GPU: the vectors that the static question encoder learns to point at."""

import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - as its users write it
from tokenizers import Tokenizer

DEVICE = "cuda"
DIMENSIONS = 384
LAST = 102
"""[SEP], which ends a text."""

started = time.time()


def say(*words: object) -> None:
    """Print with the seconds since the start."""
    print(f"[{time.time() - started:5.0f}]", *words, flush=True)


def read_weights(path: str) -> dict[str, torch.Tensor]:
    """Return the teacher's weights in half precision on the GPU."""
    if path.endswith(".npz"):
        arrays = dict(np.load(path))
    else:
        raw = Path(path).read_bytes()
        size = int.from_bytes(raw[:8], "little")
        body = memoryview(raw)[8 + size :]
        entries = {
            name: entry for name, entry in json.loads(raw[8 : 8 + size]).items() if entry.get("dtype") == "F32"
        }
        arrays = {
            name: np.frombuffer(body[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in entries.items()
        }
    return {name: torch.tensor(array, device=DEVICE).half() for name, array in arrays.items()}


class Teacher:
    """all-MiniLM-L6-v2: six layers of BERT, the mean of the pieces' vectors, length 1."""

    def __init__(self, weights: dict[str, torch.Tensor]) -> None:
        self.weights = weights

    def norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        """Normalise a layer."""
        return F.layer_norm(
            x,
            (DIMENSIONS,),
            self.weights[name + ".LayerNorm.weight"],
            self.weights[name + ".LayerNorm.bias"],
            1e-12,
        )

    def linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        """Apply a linear layer."""
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    @torch.no_grad()  # type: ignore[untyped-decorator]  # torch is not installed where this is checked
    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        """Return unit vectors of texts that are all of one length, with [CLS] and [SEP]."""
        many, length = ids.shape
        w = self.weights
        h = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
        h = self.norm(h + w["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            q, k, v = (
                self.linear(h, f"{at}attention.self.{x}").view(many, length, 12, 32).transpose(1, 2)
                for x in ("query", "key", "value")
            )
            mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(many, length, DIMENSIONS)
            h = self.norm(self.linear(mixed, at + "attention.output.dense") + h, at + "attention.output")
            h = self.norm(
                self.linear(F.gelu(self.linear(h, at + "intermediate.dense")), at + "output.dense") + h,
                at + "output",
            )
        return F.normalize(h.float().mean(1), dim=-1)

    def embed(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the vectors of padded texts, by groups of one length, so that no padding is computed."""
        out = torch.empty(len(ids), DIMENSIONS, dtype=torch.float16, device=DEVICE)
        order = torch.argsort(lengths)
        sorted_lengths, start = lengths[order].cpu().numpy(), 0
        while start < len(sorted_lengths):
            length = int(sorted_lengths[start])
            stop, step = int(np.searchsorted(sorted_lengths, length, "right")), max(1, 131072 // length)
            for a in range(start, stop, step):
                rows = order[a : min(stop, a + step)]
                out[rows] = self(ids[rows][:, :length].long()).half()
            start = stop
        return out


def word_pieces(tokenizer: Tokenizer, texts: list[str], longest: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the pieces of texts, padded with 0, and their lengths."""
    ids, lengths = np.zeros((len(texts), longest), np.int16), np.zeros(len(texts), np.int64)
    for a in range(0, len(texts), 200_000):
        for i, encoded in enumerate(tokenizer.encode_batch(texts[a : a + 200_000]), a):
            row = encoded.ids if len(encoded.ids) <= longest else [*encoded.ids[: longest - 1], LAST]
            ids[i, : len(row)] = row
            lengths[i] = len(row)
    return torch.tensor(ids, device=DEVICE), torch.tensor(lengths, device=DEVICE)
