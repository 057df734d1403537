"""A detector of the nano class to be timed beside: the published structure of YOLOX-Nano.

Built here from its description (Z. Ge et al., "YOLOX: Exceeding YOLO Series in 2021",
arXiv:2107.08430; depth 0.33, width 0.25, depthwise convolutions, 0.91 million parameters with 80
classes) with random weights: the time of a net does not depend on its weights. It reads nothing,
is never shipped, and no weights or code of others are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

CLASSES = 44
"""The 34 kinds, three red fives and seven more, as many as the tiles need."""


class PeerError(Exception):
    """The peer cannot be built here; the message says why."""


class _Graph:
    """Adds nodes one after the other; a tensor is its name and its number of channels."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self._helper, self._numpy = helper, numpy_helper
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.parameters = 0
        self._rng = np.random.default_rng(0)

    def add(self, kind: str, inputs: list[str], **settings: Any) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(kind, inputs, [name], **settings))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(self._numpy.from_array(values, name))
        return name

    def conv(self, x: str, i: int, o: int, k: int = 1, s: int = 1, groups: int = 1) -> str:
        """Convolution with its normalisation folded in."""
        scale = np.sqrt(2 / (i // groups * k * k))
        weight = self._rng.normal(0, scale, (o, i // groups, k, k)).astype(np.float32)
        # normalisation has two parameters a channel, folded it is one
        self.parameters += weight.size + 2 * o
        bias = np.zeros(o, np.float32)
        return self.add(
            "Conv",
            [x, self.constant(weight), self.constant(bias)],
            kernel_shape=[k, k],
            strides=[s, s],
            pads=[k // 2] * 4,
            group=groups,
        )

    def base(self, x: str, i: int, o: int, k: int = 1, s: int = 1, groups: int = 1) -> str:
        """Convolution and SiLU."""
        y = self.conv(x, i, o, k, s, groups)
        return self.add("Mul", [y, self.add("Sigmoid", [y])])

    def dw(self, x: str, i: int, o: int, s: int = 1) -> str:
        """Depthwise 3x3, then pointwise."""
        return self.base(self.base(x, i, i, 3, s, groups=i), i, o)

    def csp(self, x: str, i: int, o: int, n: int, *, shortcut: bool = True) -> str:
        """Cross-stage partial layer with ``n`` depthwise bottlenecks."""
        half = o // 2
        a, b = self.base(x, i, half), self.base(x, i, half)
        for _ in range(n):
            y = self.dw(self.base(a, half, half), half, half)
            a = self.add("Add", [y, a]) if shortcut else y
        return self.base(self.add("Concat", [a, b], axis=1), o, o)

    def pools(self, x: str, c: int) -> str:
        """Spatial pyramid of poolings."""
        y = self.base(x, c, c // 2)
        kept = [y] + [
            self.add("MaxPool", [y], kernel_shape=[k, k], strides=[1, 1], pads=[k // 2] * 4)
            for k in (5, 9, 13)
        ]
        return self.base(self.add("Concat", kept, axis=1), 2 * c, c)

    def twice(self, x: str) -> str:
        scales = self.constant(np.array((1, 1, 2, 2), np.float32))
        return self.add("Resize", [x, "", scales], mode="nearest")

    def join(self, *parts: str) -> str:
        return self.add("Concat", list(parts), axis=1)


def _body(g: _Graph) -> tuple[str, str, str]:
    """The backbone and its pyramid; three maps of 64, 128 and 256 channels."""
    x = g.add("Cast", ["picture"], to=1)
    x = g.base(g.add("SpaceToDepth", [x], blocksize=2), 12, 16, 3)
    x = g.csp(g.dw(x, 16, 32, 2), 32, 32, 1)
    third = g.csp(g.dw(x, 32, 64, 2), 64, 64, 3)
    fourth = g.csp(g.dw(third, 64, 128, 2), 128, 128, 3)
    fifth = g.csp(g.pools(g.dw(fourth, 128, 256, 2), 256), 256, 256, 1, shortcut=False)
    low = g.base(fifth, 256, 128)
    mid = g.csp(g.join(g.twice(low), fourth), 256, 128, 1, shortcut=False)
    narrow = g.base(mid, 128, 64)
    out3 = g.csp(g.join(g.twice(narrow), third), 128, 64, 1, shortcut=False)
    out4 = g.csp(g.join(g.dw(out3, 64, 64, 2), narrow), 128, 128, 1, shortcut=False)
    out5 = g.csp(g.join(g.dw(out4, 128, 128, 2), low), 256, 256, 1, shortcut=False)
    return out3, out4, out5


def _heads(g: _Graph, maps: tuple[str, str, str], classes: int) -> list[str]:
    found = []
    for x, channels in zip(maps, (64, 128, 256), strict=True):
        stem = g.base(x, channels, 64)
        kind = g.dw(g.dw(stem, 64, 64), 64, 64)
        place = g.dw(g.dw(stem, 64, 64), 64, 64)
        found.append(
            g.join(
                g.conv(place, 64, 4),
                g.add("Sigmoid", [g.conv(place, 64, 1)]),
                g.add("Sigmoid", [g.conv(kind, 64, classes)]),
            )
        )
    return found


def build(classes: int = CLASSES) -> tuple[bytes, int]:
    """The net as an ONNX file, and its number of parameters.

    Raises:
        PeerError: the package ``onnx`` is not installed.
    """
    try:
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        raise PeerError("the package onnx is not installed (pip install '.[dev]')") from None
    g = _Graph(helper, numpy_helper)
    outputs = _heads(g, _body(g), classes)
    sides: list[str | int | None] = [1, 3, "h", "w"]
    graph = helper.make_graph(
        g.nodes,
        "peer",
        [helper.make_tensor_value_info("picture", TensorProto.UINT8, sides)],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, classes + 5, None, None])
            for name in outputs
        ],
        g.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    return model.SerializeToString(), g.parameters


def runner(threads: int) -> Callable[[NDArray[np.uint8]], None]:
    """A function that runs the peer on a picture (1, 3, H, W), sides multiples of 32.

    Raises:
        PeerError: the peer cannot be built here.
    """
    content, _ = build()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options, ["CPUExecutionProvider"])

    def run(picture: NDArray[np.uint8]) -> None:
        session.run(None, {"picture": picture})

    return run
