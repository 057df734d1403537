"""A net's first convolution, worked out for two of its places at a time.

Three colours are too few for what processors multiply at once: the first convolution of a net, a
thirtieth of its products, took a sixth to a quarter of its time. Four pixels beside each other are
twelve numbers that lie together in a picture's bytes, and two neighbouring outputs read nothing
else: the same numbers, asked for in other words, and the same outputs to the last bit.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

_PIXELS, _COLOURS, _SIZE = 4, 3, 3
_OUTPUTS = 2


def four_at_a_time(model: onnx.ModelProto) -> None:
    """Let the first convolution of a quantised net read four pixels at a time.

    Args:
        model: its input ``picture`` is (n, H, W, 3) bytes, W a multiple of 4, turned into planes
            by its first ``Transpose``; the first convolution is 3x3 with stride 2 and one row or
            column of nothing around; its output is quantised.

    Raises:
        ValueError: the net begins otherwise.
    """
    graph = model.graph
    makes = {name: node for node in graph.node for name in node.output}
    uses = {name: node for node in graph.node for name in node.input}
    first = next(node for node in graph.node if node.op_type == "Conv")
    turn = uses["picture"]
    picture, weights, bias = (makes[name] for name in first.input)
    values = {tensor.name: tensor for tensor in graph.initializer}
    kernel = numpy_helper.to_array(values[weights.input[0]])
    shape = {each.name: list(each.ints) for each in first.attribute}
    if turn.op_type != "Transpose" or kernel.shape[1:] != (_COLOURS, _SIZE, _SIZE):
        raise ValueError(f"the net begins with {turn.op_type} and a kernel {kernel.shape}")
    if shape["strides"] != [2, 2] or shape["pads"] != [1, 1, 1, 1]:
        raise ValueError(f"the first convolution has {shape}")
    outputs = kernel.shape[0]

    def put(name: str, value: NDArray[np.generic]) -> None:
        values[name].CopyFrom(numpy_helper.from_array(value, name))

    put(weights.input[0], _kernel(kernel))
    for name in {*weights.input[1:], *bias.input}:
        value = numpy_helper.to_array(values[name])
        if value.shape == (outputs,):
            put(name, np.tile(value, _OUTPUTS))
    del first.attribute[:]
    for name, given in {
        "dilations": [1, 1],
        "group": 1,
        "kernel_shape": [_SIZE, 2],
        "pads": [1, 0, 1, 0],
        "strides": [2, 1],
    }.items():
        first.attribute.append(helper.make_attribute(name, given))

    quantised = uses[first.output[0]]
    number = uses[quantised.output[0]]
    for name, value in {
        "beside": np.array([0, 0, 1, 0, 0, 0, _PIXELS - 1, 0]),
        "by_four": np.array([0, 0, -1, _PIXELS * _COLOURS]),
        "by_one": np.array([0, 0, -1, outputs]),
    }.items():
        graph.initializer.append(numpy_helper.from_array(value.astype(np.int64), name))
    before = [
        helper.make_node("Pad", ["picture", "beside", picture.input[2]], ["padded"]),
        helper.make_node("Reshape", ["padded", "by_four"], ["fours"]),
    ]
    after = [
        helper.make_node("Transpose", [quantised.output[0]], ["two_beside"], perm=[0, 2, 3, 1]),
        helper.make_node("Reshape", ["two_beside", "by_one"], ["one_beside"]),
        helper.make_node("Transpose", ["one_beside"], ["first_maps"], perm=[0, 3, 1, 2]),
    ]
    turn.input[0] = "fours"
    number.input[0] = "first_maps"
    nodes = list(graph.node)
    at = nodes.index(quantised) + 1
    nodes = [*before, *nodes[:at], *after, *nodes[at:]]
    graph.ClearField("node")
    graph.node.extend(nodes)
    graph.ClearField("value_info")


def _kernel(kernel: NDArray[np.generic]) -> NDArray[np.generic]:
    """The kernel (n, 3, 3, 3) for two outputs beside each other: (2n, 12, 3, 2).

    Of eight pixels the first output reads the first three, the second those from the third on.
    """
    outputs = kernel.shape[0]
    wide = np.zeros((_OUTPUTS, outputs, _COLOURS, _SIZE, 2 * _PIXELS), kernel.dtype)
    for beside in range(_OUTPUTS):
        wide[beside, ..., 2 * beside : 2 * beside + _SIZE] = kernel
    parts = wide.reshape(_OUTPUTS * outputs, _COLOURS, _SIZE, 2, _PIXELS)
    return parts.transpose(0, 4, 1, 2, 3).reshape(-1, _PIXELS * _COLOURS, _SIZE, 2)


def as_before(
    weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weight and bias as they were; those of a layer that never read four pixels as they are."""
    if weight.shape[1:] != (_PIXELS * _COLOURS, _SIZE, 2):
        return weight, bias
    outputs = len(weight) // _OUTPUTS
    parts = weight[:outputs].reshape(outputs, _PIXELS, _COLOURS, _SIZE, 2).transpose(0, 2, 3, 4, 1)
    wide = parts.reshape(outputs, _COLOURS, _SIZE, 2 * _PIXELS)
    return np.ascontiguousarray(wide[..., :_SIZE]), bias[:outputs]
