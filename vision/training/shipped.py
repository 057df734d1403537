"""The weights of a shipped reader, taken back into a net that learns further.

A shipped file has whole numbers, and its normalisations are part of its convolutions. They are set
up again from what typical crops give, so that the net tells what the file tells, but for rounding,
and learns as a new one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from vision.training.by_four import as_before
from vision.training.nets import ReaderNet


def reader(path: Path, labels: int, crops: Tensor) -> ReaderNet:
    """A reader of ``models/`` as a net.

    Args:
        path: an ONNX file that :mod:`.export` wrote.
        labels: how many kinds it tells.
        crops: (N, 3, 64, 48) such as it meets, a thousand or so, from which the
            normalisations are set up.

    Raises:
        ValueError: it is no reader's file.
    """
    net = ReaderNet(labels)
    modules = [m for m in net.modules() if isinstance(m, nn.Conv2d | nn.Linear)]
    norms = [m for m in net.modules() if isinstance(m, nn.BatchNorm2d)]
    graph = onnx.load(str(path)).graph
    nodes = [node for node in graph.node if node.op_type in ("Conv", "Gemm")]
    if len(nodes) != len(modules):
        raise ValueError(f"{path}: {len(nodes)} layers, a reader has {len(modules)}")
    layers = _layers(graph, nodes)
    for module, (weight, _) in zip(modules, layers, strict=True):
        if weight.shape != tuple(module.weight.shape):
            raise ValueError(f"{path}: a layer of {weight.shape}, not {tuple(module.weight.shape)}")
        module.weight.data = torch.from_numpy(weight)
    net.head.bias.data = torch.from_numpy(layers[-1][1])
    hooks = [
        norm.register_forward_pre_hook(_setter(torch.from_numpy(bias)))
        for norm, (_, bias) in zip(norms, layers, strict=False)
    ]
    with torch.no_grad():
        net.eval()(crops)
    for hook in hooks:
        hook.remove()
    return net


def _setter(bias: Tensor):
    """Let a normalisation give back what comes in, and the bias."""

    def set_up(norm: nn.BatchNorm2d, given: tuple[Tensor]) -> None:
        mean, var = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3))
        norm.running_mean, norm.running_var = mean.clone(), var.clone()
        norm.weight.data = torch.sqrt(var + norm.eps)
        norm.bias.data = bias + mean

    return set_up


def _layers(
    graph: onnx.GraphProto, nodes: Sequence[onnx.NodeProto]
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Weights and biases of layers as fractions."""
    values = {tensor.name: tensor for tensor in graph.initializer}
    makes = {name: each for each in graph.node for name in each.output}

    def fractions(name: str) -> NDArray[np.float32]:
        if name in values:
            return numpy_helper.to_array(values[name])
        whole, scale, zero = (numpy_helper.to_array(values[part]) for part in makes[name].input)
        shape = (-1, *(1,) * (whole.ndim - 1))
        return ((whole - zero.reshape(shape)) * scale.reshape(shape)).astype(np.float32)

    return [as_before(fractions(node.input[1]), fractions(node.input[2])) for node in nodes]
