"""Quantised nets take pictures as they lie and say nearly what they said before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from vision.training import quantise

_LAYERS = ("stem", "body", "head")
_WIDTHS = (3, 8, 8, 5)


def exported(folder: Path) -> Path:
    """A net as it is exported: (n, 3, h, w) bytes in, convolutions that count in fractions."""
    rng = np.random.default_rng(3)
    made: dict[str, NDArray[np.generic]] = {
        "scale": np.array(1 / 64, np.float32),
        "shift": np.array(2, np.float32),
    }
    nodes = [
        helper.make_node("Cast", ["picture"], ["cast"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["cast", "scale"], ["scaled"]),
        helper.make_node("Sub", ["scaled", "shift"], ["x0"]),
    ]
    for k, layer in enumerate(_LAYERS):
        shape = (_WIDTHS[k + 1], _WIDTHS[k], 3, 3)
        made[f"w{k}"] = rng.normal(0, 0.2, shape).astype(np.float32)
        made[f"b{k}"] = rng.normal(0, 0.1, shape[0]).astype(np.float32)
        last = layer == "head"
        nodes.append(
            helper.make_node(
                "Conv",
                [f"x{k}", f"w{k}", f"b{k}"],
                ["maps" if last else f"c{k}"],
                name=f"/net/{layer}/Conv",
                kernel_shape=[3, 3],
                strides=[1 if k else 2] * 2,
                pads=[1, 1, 1, 1],
            )
        )
        if not last:
            nodes.append(
                helper.make_node("Relu", [f"c{k}"], [f"x{k + 1}"], name=f"/net/{layer}/Relu")
            )
    # A finder has two layers that keep their fractions.
    made["w3"] = rng.normal(0, 0.2, (5, 5, 1, 1)).astype(np.float32)
    nodes.append(helper.make_node("Conv", ["maps", "w3"], ["joined"], name="/net/join/Conv"))
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("picture", TensorProto.UINT8, ["n", 3, "h", "w"])],
        [helper.make_tensor_value_info("joined", TensorProto.FLOAT, ["n", 5, "i", "j"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in made.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "net.onnx"
    onnx.save(model, str(path))
    return path


def said(path: Path, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"picture": pictures})[0], np.float32)


@pytest.mark.parametrize("what", ["reader", "finder", "values"])
def test_a_quantised_net_says_nearly_the_same(tmp_path: Path, what: str) -> None:
    rng = np.random.default_rng(5)
    pictures = rng.integers(0, 256, (40, 16, 16, 3), np.uint8)
    planes = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
    path = exported(tmp_path)
    before = said(path, planes)
    if what == "finder":
        quantise.maps_to_bytes(path, list(pictures))
    else:
        {"reader": quantise.to_bytes, "values": quantise.values_to_bytes}[what](path, planes)
    now = said(path, pictures)
    assert now.shape == before.shape
    assert np.abs(now - before).mean() < 0.03 * before.std()
    inside = {node.op_type for node in onnx.load(str(path)).graph.node}
    assert "QuantizeLinear" in inside


def test_a_finder_without_its_last_layers_is_none(tmp_path: Path) -> None:
    path = exported(tmp_path)
    model = onnx.load(str(path))
    for node in model.graph.node:
        node.name = node.name.replace("join", "other")
    onnx.save(model, str(path))
    with pytest.raises(ValueError, match=r"net\.onnx: last convolutions not found"):
        quantise.maps_to_bytes(path, [])
