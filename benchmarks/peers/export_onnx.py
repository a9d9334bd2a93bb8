"""Write all-MiniLM-L6-v2 as the ONNX file that peers otherwise download: `python export_onnx.py MODEL OUTPUT`.

Runs in the environment of a peer that has torch. The weights stay as they are (32 bits); inputs and output have
the names of the published file, so that a peer's own code reads it without a change.
"""

import sys
from pathlib import Path

import torch
from torch import Tensor, nn

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"


class Encoder(nn.Module):  # type: ignore[misc]  # torch is in a peer's environment only
    """The encoder alone: pooling is left to whoever asks."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Return a vector a token."""
        states: Tensor = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        return states


def main() -> None:
    """Read the model folder, write the file."""
    from sentence_transformers import SentenceTransformer

    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    encoder = Encoder(SentenceTransformer(str(source), device="cpu")[0].auto_model).eval()
    sample = torch.ones((2, 8), dtype=torch.long)
    torch.onnx.export(
        encoder,
        (sample, sample, torch.zeros_like(sample)),
        str(target),
        input_names=list(INPUTS),
        output_names=[OUTPUT],
        dynamic_axes={name: {0: "texts", 1: "tokens"} for name in (*INPUTS, OUTPUT)},
        opset_version=14,
        dynamo=False,
    )


if __name__ == "__main__":
    main()
