"""The first convolution read four pixels at a time says the same to the last bit."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from vision.training.by_four import four_at_a_time

_OUTPUTS = 5


def net(seed: int, stride: int = 2) -> onnx.ModelProto:
    """A quantised net that takes pictures as the reader's and the finder's files do."""
    rng = np.random.default_rng(seed)
    made: dict[str, NDArray[np.generic]] = {
        "picture_scale": np.array(1 / 64, np.float32),
        "picture_zero": np.array(128, np.uint8),
        "w": rng.integers(-63, 64, (_OUTPUTS, 3, 3, 3), np.int8),
        "w_scale": rng.uniform(0.001, 0.02, _OUTPUTS).astype(np.float32),
        "w_zero": np.zeros(_OUTPUTS, np.int8),
        "b": rng.integers(-4000, 4000, _OUTPUTS, np.int32),
        "b_scale": rng.uniform(0.0001, 0.0002, _OUTPUTS).astype(np.float32),
        "b_zero": np.zeros(_OUTPUTS, np.int32),
        "out_scale": np.array(0.03, np.float32),
        "out_zero": np.array(0, np.uint8),
    }
    nodes = [
        helper.make_node("Transpose", ["picture"], ["planes"], perm=[0, 3, 1, 2]),
        helper.make_node("DequantizeLinear", ["planes", "picture_scale", "picture_zero"], ["x"]),
        helper.make_node("DequantizeLinear", ["w", "w_scale", "w_zero"], ["weights"], axis=0),
        helper.make_node("DequantizeLinear", ["b", "b_scale", "b_zero"], ["bias"], axis=0),
        helper.make_node(
            "Conv",
            ["x", "weights", "bias"],
            ["first"],
            kernel_shape=[3, 3],
            strides=[stride, stride],
            pads=[1, 1, 1, 1],
        ),
        helper.make_node("QuantizeLinear", ["first", "out_scale", "out_zero"], ["bytes"]),
        helper.make_node("DequantizeLinear", ["bytes", "out_scale", "out_zero"], ["maps"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("picture", TensorProto.UINT8, ["n", "h", "w", 3])],
        [helper.make_tensor_value_info("maps", TensorProto.FLOAT, ["n", _OUTPUTS, "i", "j"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in made.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def maps(model: onnx.ModelProto, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return np.asarray(session.run(None, {"picture": pictures})[0], np.float32)


@pytest.mark.parametrize("shape", [(1, 16, 16), (3, 64, 48), (1, 48, 208), (2, 2, 4)])
def test_the_outputs_are_the_same(shape: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(shape[1])
    pictures = rng.integers(0, 256, (*shape, 3), np.uint8)
    usual, four = net(7), net(7)
    four_at_a_time(four)
    expected = maps(usual, pictures)
    assert len(np.unique(expected)) > 2
    np.testing.assert_array_equal(maps(four, pictures), expected)


def test_a_net_that_begins_otherwise_is_refused() -> None:
    with pytest.raises(ValueError, match="strides"):
        four_at_a_time(net(1, stride=1))
