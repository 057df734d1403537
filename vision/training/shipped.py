"""The weights of a shipped net, taken back into a net that learns further.

A shipped file has whole numbers, and its normalisations are part of its convolutions. They are set
up again from what typical crops give, so that the net tells what the file tells, but for rounding,
and learns as a new one does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from vision.training import common
from vision.training.by_four import as_before


def begin(net: nn.Module, start: Path, seen: Callable[[], Tensor]) -> dict[str, Any]:
    """Let a training go on from a checkpoint or from a file of ``models/``, an ``.onnx``.

    Args:
        net: the new net.
        start: where the weights are.
        seen: gives what the net meets (:func:`restore`), if it is needed.

    Returns:
        What the run that made them wrote about itself.

    Raises:
        ValueError: it is the file of another net.
    """
    if start.suffix == ".onnx":
        restore(net, start, seen())
        facts: dict[str, Any] = common.facts_of(start)["training"]
        return facts
    where = next(net.parameters()).device
    net.load_state_dict(torch.load(start, map_location=where))
    return common.facts_of(start)


def restore(net: nn.Module, path: Path, seen: Tensor) -> None:
    """Give a net the weights of a file of ``models/``.

    Args:
        net: of the file's kind and size; its layers are called in the order in which they stand.
        path: an ONNX file that :mod:`.export` wrote.
        seen: (N, 3, H, W) such as it meets, a thousand crops or so, from which the
            normalisations are set up.

    Raises:
        ValueError: it is the file of another net.
    """
    what = type(net).__name__
    modules = [m for m in net.modules() if isinstance(m, nn.Conv2d | nn.Linear)]
    norms = [m for m in net.modules() if isinstance(m, nn.BatchNorm2d)]
    graph = onnx.load(str(path)).graph
    nodes = [node for node in graph.node if node.op_type in ("Conv", "Gemm")]
    if len(nodes) != len(modules):
        raise ValueError(f"{path}: {len(nodes)} layers, {what} has {len(modules)}")
    layers = _layers(graph, nodes)
    for module, (weight, bias) in zip(modules, layers, strict=True):
        if weight.shape != tuple(module.weight.shape):
            raise ValueError(f"{path}: a layer of {weight.shape}, not {tuple(module.weight.shape)}")
        module.weight.data = torch.from_numpy(weight).to(module.weight.device)
        if module.bias is not None:
            module.bias.data = torch.from_numpy(bias).to(module.bias.device)
    hooks = [
        norm.register_forward_pre_hook(_setter(torch.from_numpy(bias)))
        for norm, (_, bias) in zip(norms, layers, strict=False)
    ]
    with torch.no_grad():
        net.eval()(seen)
    for hook in hooks:
        hook.remove()


def _setter(bias: Tensor) -> Callable[[nn.BatchNorm2d, tuple[Tensor]], None]:
    """Let a normalisation give back what comes in, and the bias."""

    def set_up(norm: nn.BatchNorm2d, given: tuple[Tensor]) -> None:
        mean, var = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3))
        norm.running_mean, norm.running_var = mean.clone(), var.clone()
        norm.weight.data = torch.sqrt(var + norm.eps)
        norm.bias.data = bias.to(mean.device) + mean

    return set_up


def _layers(
    graph: onnx.GraphProto, nodes: Sequence[onnx.NodeProto]
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Weights and biases of layers as fractions."""
    values = {tensor.name: tensor for tensor in graph.initializer}
    makes = {name: each for each in graph.node for name in each.output}

    def fractions(name: str) -> NDArray[np.float32]:
        if name in values:
            return np.array(numpy_helper.to_array(values[name]))
        whole, scale, zero = (numpy_helper.to_array(values[part]) for part in makes[name].input)
        shape = (-1, *(1,) * (whole.ndim - 1))
        return np.asarray((whole - zero.reshape(shape)) * scale.reshape(shape), np.float32)

    return [as_before(fractions(node.input[1]), fractions(node.input[2])) for node in nodes]
