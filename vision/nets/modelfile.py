"""Model files: found by name, checked against their manifest, opened for onnxruntime.

A manifest ``NAME.json`` stands beside ``NAME.onnx`` and says what the file is: format and
version, input, labels, checksum, thresholds, training, measured figures. A file that is
missing, altered or of another format is refused by name: a reading from the wrong model would
be worse than none.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

FORMAT = 3
"""Version of the manifests and of what the models' inputs and outputs mean.

2: the finder takes a picture's bytes as they lie in it; 3: the nets of dice do so too.
"""

FOLDER = "PAIGUAN_MODELS"
"""Environment variable that names the folder of an update to use instead."""


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
            settings={str(k): float(v) for k, v in raw["settings"].items()},
            training=dict(raw.get("training", {})),
            measured=dict(raw.get("measured", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{path}: field missing or of the wrong kind ({error})") from None
    if manifest.name != name:
        raise ModelError(f"{path}: is the manifest of {manifest.name!r}, not of {name!r}")
    return manifest


def load(name: str, folder: Path | None = None, threads: int = 1) -> Model:
    """Open a model, deterministic for a fixed number of threads.

    Raises:
        ModelError: missing, altered (checksum), of another format, or not to be opened.
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
    options.use_deterministic_compute = True
    # pictures come in many sizes: a plan of the memory for each size would be kept for ever
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(content, options, ["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises many kinds, none of them public
        raise ModelError(f"{path}: cannot be opened ({type(error).__name__})") from error
    return Model(manifest, session)
