"""Model files: found by name, checked against their manifest, opened for onnxruntime.

A manifest ``NAME.json`` stands beside ``NAME.onnx`` and says what the file is: format and
version, input, labels, checksum, thresholds, training, measured figures. A file that is
missing, altered or of another format is refused by name: a reading from the wrong model would
be worse than none.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import onnxruntime
from numpy.typing import NDArray

FORMAT = 3
"""Version of the manifests and of what the models' inputs and outputs mean.

2: the finder takes a picture's bytes as they lie in it; 3: the nets of dice do so too.
"""

FOLDER = "PAIGUAN_MODELS"
"""Environment variable that names the folder of an update to use instead."""


_Shape: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a net and its manifest must be like so that it can be used and understood.

    Attributes:
        picture: shape of what it looks at, None where any number will do.
        outputs: the same of what it says.
        settings: the numbers that must stand in the manifest.
        unlabelled: outputs besides those that the labels name; None: its outputs have no labels.
    """

    picture: _Shape
    outputs: tuple[_Shape, ...]
    settings: tuple[str, ...]
    unlabelled: int | None = None


_ANY: Final = (1, None, None, 3)
_NEEDS: Final[Mapping[str, _Needs]] = {
    "finder": _Needs(
        _ANY,
        ((1, 12, None, None), (1, 1, None, None)),
        ("threshold_face_up", "threshold_face_down", "threshold_standing"),
    ),
    # Its last output says whether the crop is upside down.
    "reader": _Needs(
        (None, 64, 48, 3), ((None, None), (None, None)), ("temperature", "threshold"), unlabelled=1
    ),
    "dice": _Needs(_ANY, ((1, 5, None, None),), ("threshold",)),
    "pips": _Needs((None, 40, 40, 3), ((None, None),), ("temperature", "threshold"), unlabelled=0),
}


class ModelError(Exception):
    """A model file that cannot be used; the message names the file and says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model file is.

    Attributes:
        name: ``finder``, ``reader`` or ``dice``.
        version: of the trained weights; increases with every release.
        sha256: checksum of the ONNX file.
        labels: what the outputs mean, in order (empty for the finder).
        settings: numbers the runtime needs (thresholds, temperature, working size).
        training: data, commit, seed, steps.
        measured: figures of the model card.
    """

    name: str
    version: str
    sha256: str
    labels: tuple[str, ...]
    settings: dict[str, float]
    training: dict[str, Any]
    measured: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Model:
    """An opened model."""

    manifest: Manifest
    session: onnxruntime.InferenceSession

    def run(self, batch: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Outputs for a batch of pictures, BGR 0..255.

        Args:
            batch: (N, H, W, 3).
        """
        (name,) = (i.name for i in self.session.get_inputs())
        return [np.asarray(o, np.float32) for o in self.session.run(None, {name: batch})]


def own_dir() -> Path:
    """The folder of the models that come with the program."""
    import models

    return Path(next(iter(models.__path__)))


def default_dir() -> Path:
    """The folder of the models that come with the program, or that :data:`FOLDER` names."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER])

    return own_dir()


def read_manifest(name: str, folder: Path | None = None) -> Manifest:
    """Read and check ``NAME.json``.

    Raises:
        ModelError: the manifest is missing, damaged, of another format or of another model.
    """
    path = (folder or default_dir()) / f"{name}.json"
    try:
        raw = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path}: no such model manifest") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ModelError(f"{path}: not a readable manifest ({error})") from None
    if not isinstance(raw, dict):
        raise ModelError(f"{path}: not a manifest")
    if raw.get("format") != FORMAT:
        raise ModelError(
            f"{path}: manifest format {raw.get('format')!r}, this program reads {FORMAT}"
        )
    try:
        manifest = Manifest(
            name=str(raw["name"]),
            version=str(raw["version"]),
            sha256=str(raw["sha256"]),
            labels=tuple(str(label) for label in raw["labels"]),
            settings={str(k): _finite(v) for k, v in raw["settings"].items()},
            training=dict(raw.get("training", {})),
            measured=dict(raw.get("measured", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{path}: field missing or of the wrong kind ({error})") from None
    if manifest.name != name:
        raise ModelError(f"{path}: is the manifest of {manifest.name!r}, not of {name!r}")
    return manifest


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{number} is no number to reckon with")
    return number


def _fits(shapes: Sequence[Sequence[Any]], wanted: Sequence[_Shape]) -> bool:
    """Whether a net's inputs or outputs have these shapes; what it leaves open fits anything."""
    return len(shapes) == len(wanted) and all(
        len(shape) == len(want)
        and all(w is None or w == n for n, w in zip(shape, want, strict=True))
        for shape, want in zip(shapes, wanted, strict=True)
    )


def _check(manifest: Manifest, session: onnxruntime.InferenceSession, path: Path) -> None:
    """Only the net itself has a checksum: is it of the kind that the manifest says?

    Raises:
        ModelError: names the file and what is wrong in it.
    """
    needs = _NEEDS.get(manifest.name)
    if needs is None:
        return
    inputs = [each.shape for each in session.get_inputs()]
    outputs = [each.shape for each in session.get_outputs()]
    if not (_fits(inputs, [needs.picture]) and _fits(outputs, needs.outputs)):
        raise ModelError(f"{path.with_suffix('.onnx')}: another net than a {manifest.name}")
    for name in needs.settings:
        if name not in manifest.settings:
            raise ModelError(f"{path}: settings: {name} is missing")
    if manifest.settings.get("temperature", 1.0) <= 0:
        raise ModelError(f"{path}: settings: temperature must be over 0")
    if needs.unlabelled is None:
        return
    wanted = outputs[0][-1] - needs.unlabelled
    if len(manifest.labels) != wanted:
        raise ModelError(f"{path}: labels: {len(manifest.labels)}, the net has {wanted}")


def load(name: str, folder: Path | None = None, threads: int = 1) -> Model:
    """Open a model, deterministic for a fixed number of threads.

    Raises:
        ModelError: missing, altered (checksum), of another format, not to be opened, or its
            manifest lacks what is needed.
    """
    manifest = read_manifest(name, folder)
    path = (folder or default_dir()) / f"{name}.onnx"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    if hashlib.sha256(content).hexdigest() != manifest.sha256:
        raise ModelError(f"{path}: altered, its checksum is not that of its manifest")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # threads that wait for the next picture by turning round and round take the other processor
    # from what is done between two nets (docs/decisions/0377)
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.use_deterministic_compute = True
    # pictures come in many sizes: a plan of the memory for each size would be kept for ever
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(content, options, ["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises many kinds, none of them public
        raise ModelError(f"{path}: cannot be opened ({type(error).__name__})") from error
    _check(manifest, session, path.with_suffix(".json"))
    return Model(manifest, session)
