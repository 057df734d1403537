"""The nets in whole numbers: 8 bits for weights and activations.

Their files take the picture's bytes as they lie in it (rows, columns, colours): what the nets were
trained on, ``x / 64 - 2``, is exactly a quantised number of scale 1/64 and zero 128, so that
nothing is converted before the first convolution. Weights keep to 7 bits: processors
without dot products of bytes add pairs of products in 16 bits, which overflow with 8.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)

from vision.training.by_four import four_at_a_time

_BATCH = 50


class _Crops(CalibrationDataReader):
    def __init__(self, crops: NDArray[np.uint8]) -> None:
        self._parts: Iterator[NDArray[np.uint8]] = iter(
            [np.ascontiguousarray(crops[i : i + _BATCH]) for i in range(0, len(crops), _BATCH)]
        )

    def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
        """The next batch, None at the end."""
        part = next(self._parts, None)
        return None if part is None else {"picture": part}


def to_bytes(path: Path, crops: NDArray[np.uint8]) -> None:
    """Quantise a reader's file in place.

    Args:
        path: an ONNX file whose input ``picture`` is (n, 3, H, W) bytes, turned into ``x / 64 - 2``
            before the first convolution.
        crops: (N, 3, H, W) such as the reader meets, from which the ranges are measured.
    """
    _finish(_whole_numbers(path, _Crops(crops)), path)


class _Pictures(CalibrationDataReader):
    def __init__(self, pictures: list[NDArray[np.uint8]]) -> None:
        self._left = iter(pictures)

    def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
        """The next picture, None at the end."""
        part = next(self._left, None)
        if part is None:
            return None
        return {"picture": np.ascontiguousarray(part.transpose(2, 0, 1)[None])}


_KINDS = ("Conv", "Add", "Relu")
_LAST = ("head", "arms", "join")
"""Layers of a finder that keep their fractions: scores and places are told by them."""


def maps_to_bytes(path: Path, pictures: list[NDArray[np.uint8]]) -> None:
    """Quantise the file of a finder, of tiles or of dice, in place.

    Its input is (1, H, W, 3) then.

    Args:
        path: an ONNX file whose input ``picture`` is (1, 3, H, W) bytes, turned into ``x / 64 - 2``
            before the first convolution.
        pictures: (H, W, 3) at the scale at which the net looks, sides multiples of 16.
    """
    last = [
        node.name
        for node in onnx.load(str(path)).graph.node
        if node.op_type == "Conv" and node.name.split("/")[2] in _LAST
    ]
    if len(last) not in (2, 3):
        raise ValueError(f"{path}: last convolutions not found ({last})")
    _finish(_whole_numbers(path, _Pictures(pictures), _KINDS, last), path)


def values_to_bytes(path: Path, crops: NDArray[np.uint8]) -> None:
    """Quantise the file of the reader of dice in place.

    Its input is (n, H, W, 3) then. A few values in a million lie beyond the ranges: with the
    largest of all as their ends some crops decided how well the others were told
    (docs/decisions/0322).

    Args:
        path: as for :func:`to_bytes`.
        crops: (N, 3, H, W) such as the reader meets, in no order.
    """
    model = _whole_numbers(path, _Crops(crops), _KINDS, ends=CalibrationMethod.Percentile)
    _bytes_in(model)
    _save(model, path)


def _whole_numbers(
    path: Path,
    typical: CalibrationDataReader,
    kinds: Sequence[str] = (),
    but: Sequence[str] = (),
    ends: CalibrationMethod = CalibrationMethod.MinMax,
) -> onnx.ModelProto:
    """A file quantised, its ranges measured; only these kinds of layers, if any are named."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        quantize_static(
            str(path),
            str(whole),
            typical,
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=list(kinds) or None,
            nodes_to_exclude=list(but),
            calibrate_method=ends,
        )
        return onnx.load(str(whole))


def _finish(model: onnx.ModelProto, path: Path) -> None:
    """Let a quantised net begin with the picture's bytes, and save it."""
    _bytes_in(model)
    four_at_a_time(model)
    _save(model, path)


def _save(model: onnx.ModelProto, path: Path) -> None:
    onnx.checker.check_model(model)
    model.doc_string = ""
    onnx.save(model, str(path))


def _bytes_in(model: onnx.ModelProto) -> None:
    """Feed the first convolution with the picture itself, laid out as pictures are."""
    graph = model.graph
    makes = {name: node for node in graph.node for name in node.output}
    first = next(node for node in graph.node if node.op_type == "Conv")
    last = step = makes[first.input[0]]
    graph.node.remove(step)
    while step.input[0] != "picture":
        step = makes[step.input[0]]
        graph.node.remove(step)
    graph.initializer.append(numpy_helper.from_array(np.array(1 / 64, np.float32), "picture_scale"))
    graph.initializer.append(numpy_helper.from_array(np.array(128, np.uint8), "picture_zero"))
    turn = helper.make_node("Transpose", ["picture"], ["planes"], perm=[0, 3, 1, 2])
    number = helper.make_node(
        "DequantizeLinear", ["planes", "picture_scale", "picture_zero"], [last.output[0]]
    )
    graph.node.insert(0, turn)
    graph.node.insert(1, number)
    shape = graph.input[0].type.tensor_type.shape
    picture, colours, rows, columns = shape.dim
    shape.CopyFrom(onnx.TensorShapeProto(dim=[picture, rows, columns, colours]))
