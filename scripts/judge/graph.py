"""The judge's graph, node by node: the encoder of build_minilm with segments, two heads and their calibration.

Lives here: nodes and quantisation. Must not live here: training, figures, files.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from scripts.build_minilm import CONTRIB, LAYERS, Floats, Graph, Weights, channel_peaks, embeddings, layer
from scripts.judge.figures import Calibration

Inputs = dict[str, NDArray[np.int64]]


def quantised(weights: Weights, calibration: Calibration, inputs: list[Inputs]) -> bytes:
    """Write the int8 graph; `inputs` show how large the activations get."""
    peaks = channel_peaks(build(weights, calibration), inputs)
    model: bytes = build(weights, calibration, peaks).SerializeToString(deterministic=True)
    return model


def build(weights: Weights, calibration: Calibration, peaks: dict[str, Floats] | None = None) -> onnx.ModelProto:
    """Write the whole graph: token ids and segments of one input in, both answers out."""
    graph = Graph(peaks)
    states = embeddings(graph, weights, "segments")
    for number in range(LAYERS):
        states = layer(graph, weights, f"encoder.layer.{number}", states)
    slopes = np.array(calibration.slopes, np.float32)
    relation_slopes = np.full(4, calibration.relation_slope, np.float32)
    start, first, second = pooled(graph, states)
    gap = graph.add("Abs", [graph.add("Sub", [first, second], "gap.signed")], "gap")
    verdict = head(graph, weights, "sentence", [second, start], slopes, np.array(calibration.offsets, np.float32))
    relation = head(graph, weights, "pair", [start, first, second, gap], relation_slopes, np.zeros(4, np.float32))
    graph.add("Sigmoid", [verdict], "verdict")
    graph.add("Softmax", [relation], "relation", axis=-1)
    return whole(graph)


def pooled(graph: Graph, states: str) -> tuple[str, str, str]:
    """Add the state of the first token and the mean of either segment."""
    one = graph.constant("pool.one", np.array([1], np.int64))
    zero = graph.constant("pool.zero", np.array([0], np.int64))
    start = graph.add("Squeeze", [graph.add("Slice", [states, zero, one, one], "start.row"), one], "start")
    second = graph.add("Cast", ["segments"], "second.chosen", to=TensorProto.FLOAT)
    first = graph.add("Sub", [graph.constant("pool.all", np.array(1, np.float32)), second], "first.chosen")
    return start, mean(graph, states, first, "first"), mean(graph, states, second, "second")


def mean(graph: Graph, states: str, chosen: str, name: str) -> str:
    """Add the mean of the states of the chosen tokens."""
    axis = graph.constant(f"{name}.axis", np.array([1], np.int64))
    weight = graph.add("Unsqueeze", [chosen, axis], f"{name}.weight")
    total = graph.add("Squeeze", [graph.add("MatMul", [weight, states], f"{name}.sums"), axis], f"{name}.total")
    count = graph.add("ReduceSum", [chosen, axis], f"{name}.count", keepdims=1)
    return graph.add("Div", [total, count], f"{name}.mean")


def head(graph: Graph, weights: Weights, name: str, parts: list[str], slopes: Floats, offsets: Floats) -> str:
    """Add a linear head with its calibration folded in; it stays in 32 bits."""
    matrix = graph.constant(f"{name}.w", weights[f"{name}.weight"] * slopes[:, None])
    bias = graph.constant(f"{name}.b", weights[f"{name}.bias"] * slopes + offsets)
    joined = graph.add("Concat", parts, f"{name}.joined", axis=1)
    return graph.add("Gemm", [joined, matrix, bias], f"{name}.logits", transB=1)


def whole(graph: Graph) -> onnx.ModelProto:
    """Close the graph with its inputs and outputs."""
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in ("input_ids", "segments")
    ]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("verdict", "relation")]
    body = helper.make_graph(graph.nodes, "holdfast-judge", inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=8, producer_name="scripts.judge")
