"""``python -m vision.training.export``: checkpoints to ONNX files with manifests in ``models/``."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch

from vision.nets import modelfile
from vision.nets.finder import WORKING_PX
from vision.training import common, nets, quantise
from vision.training.dice import data as dice_data
from vision.training.dice import typical
from vision.training.dice.photos import FAMILIES
from vision.training.judging import thresholds
from vision.training.pictures import face_data, oriented, taught
from vision.training.pictures.sources import LABELS
from vision.training.pictures.taught import Taught

DICE_LABELS = ("1", "2", "3", "4", "5", "6", "none", "no die")


class _Bytes(torch.nn.Module):
    """A net with a picture of bytes as its input."""

    def __init__(self, net: torch.nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        return self.net(crops.float())


class _Reader(torch.nn.Module):
    """The reader's logits and the features from which they are made."""

    def __init__(self, net: nets.ReaderNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.net.features(crops)
        return self.net.head(features), features


def write(
    name: str,
    net: torch.nn.Module,
    example: torch.Tensor,
    outputs: list[str],
    dynamic: dict[int, str],
    folder: Path | None = None,
) -> Path:
    """Export a net; the batch (reader) or the sides (finders) may vary."""
    path = (folder or modelfile.default_dir()) / f"{name}.onnx"
    torch.onnx.export(
        _Bytes(net.eval()),
        (example,),
        str(path),
        input_names=["picture"],
        output_names=outputs,
        dynamic_axes={"picture": dynamic},
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load(str(path))
    model.doc_string = ""
    onnx.save(model, str(path))
    return path


def manifest(
    name: str,
    path: Path,
    labels: tuple[str, ...],
    settings: dict[str, float],
    training: dict[str, Any],
    shape: str,
) -> None:
    """Write the manifest beside the file; figures of an earlier manifest are not kept."""
    facts = {
        "format": modelfile.FORMAT,
        "name": name,
        "version": training.get("version", "1"),
        "file": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "input": {"name": "picture", "shape": shape, "type": "uint8", "order": "BGR"},
        "labels": list(labels),
        "settings": settings,
        "training": training,
        "measured": {},
    }
    path.with_suffix(".json").write_text(
        json.dumps(facts, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )


def typical_crops(by: Taught, count: int = 400) -> np.ndarray:
    """Crops (N, 3, 64, 48) such as the reader was trained on, for the ranges of its numbers."""
    faces = face_data.Bank()
    face_data.photographed(faces, by.designs)
    face_data.from_photos(faces, taught.teaching(by))
    face_data.table_designs(faces)
    stream = iter(face_data.Faces(faces, {"face": 0.4, "photo": 0.4, "table": 0.2}, 3, 0))
    return np.stack([next(stream)[0].numpy() for _ in range(count)])


def typical_pictures(seed: int = 99) -> list[np.ndarray]:
    """Pictures at the finder's scale such as it meets, for the ranges of its numbers."""
    found = []
    for image, _, px in thresholds.pictures(24, 2, seed):
        by = WORKING_PX / px
        small = cv2.resize(image, None, fx=by, fy=by, interpolation=cv2.INTER_AREA)
        h, w = (side // 16 * 16 for side in small.shape[:2])
        found.append(np.asarray(small[:h, :w], np.uint8))
    return found + photographs(60)


def photographs(count: int, seed: int = 5) -> list[np.ndarray]:
    """Photographs that teach, at the finder's scale.

    Without them the ranges are too narrow for real pictures: 0.4 points of recall were lost on
    one family (docs/decisions/0176).
    """
    rng = np.random.default_rng(seed)
    rows = taught.teaching()
    found = []
    for k in rng.permutation(len(rows))[:count]:
        picture = oriented.real(rows[k], stretched=True)
        if picture is None:
            continue
        by = WORKING_PX / picture.unit * rng.uniform(0.85, 1.3)
        small = cv2.resize(picture.image, None, fx=by, fy=by, interpolation=cv2.INTER_AREA)
        h, w = (side // 16 * 16 for side in small.shape[:2])
        if min(h, w) >= 160 and max(h, w) < 700:
            found.append(np.asarray(small[:h, :w], np.uint8))
    return found


def _steps(facts: dict[str, Any]) -> int:
    """Steps of a run and of those that it started from."""
    own: int = facts.get("steps", 0)
    return own + (_steps(facts["start"]) if facts.get("start") else 0)


def _dice(facts: dict[str, Any]) -> str:
    """What a net of the dice learned from."""
    named = [f"dice/{family}" for family in facts.get("families", ())]
    return ", ".join([*named, "drawn dice", "virtual-table frames"])


def temperature(folder: Path, by: Taught) -> float:
    """What makes the confidences of the reader in a folder true on the designs kept for it.

    A little more, since sets further from those that taught are read with more doubt than these.
    """
    from vision.nets.reader import FaceReader
    from vision.training.evaluate import calibration

    chose = [design for design in by.chose if design not in by.designs]
    return round(calibration(FaceReader(folder), chose) + 0.1, 3)


def main() -> None:
    """Export one or all of the models."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("which", choices=("reader", "finder", "dice", "pips"), nargs="+")
    ask.add_argument("--checkpoint", type=Path)
    ask.add_argument("--temperature", type=float, help="by default the reader's is measured")
    ask.add_argument("--threshold", type=float)
    ask.add_argument("--out", type=Path, help="another folder than models/")
    args = ask.parse_args()
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
    for which in args.which:
        checkpoint = args.checkpoint or common.WORK / f"{which}.pt"
        weights = torch.load(checkpoint)
        facts = common.facts_of(checkpoint)
        facts.pop("scores", None)
        by = taught.of_run(facts)
        facts["taught"] = asdict(by)
        facts["version"] = f"1.{facts.get('steps', 0)}"
        if which == "reader":
            net = nets.ReaderNet(len(LABELS))
            net.load_state_dict(weights)
            # the third kind of file: bytes in and through, features beside the logits, four pixels
            # at a time
            facts["version"] = f"3.{_steps(facts)}"
            facts["data"] = (
                "faces, photos_homes and photos_autotable (taught), drawn designs and variants, "
                "virtual-table designs"
            )
            path = write(
                "reader",
                _Reader(net),
                torch.zeros(2, 3, 64, 48, dtype=torch.uint8),
                ["logits", "features"],
                {0: "n"},
                args.out,
            )
            quantise.to_bytes(path, typical_crops(by))
            settings = {
                "temperature": args.temperature or 1.0,
                "threshold": 0.6 if args.threshold is None else args.threshold,
            }
            manifest("reader", path, LABELS, settings, facts, "n,64,48,3")
            if args.temperature is None:
                settings["temperature"] = temperature(path.parent, by)
                manifest("reader", path, LABELS, settings, facts, "n,64,48,3")
        elif which == "pips":
            net = nets.PipsNet.of(weights)
            facts["data"] = _dice(facts)
            # the fourth kind of file: half as wide again; whole numbers
            facts["version"] = f"4.{_steps(facts)}"
            px = dice_data.PIPS_PX
            example = torch.zeros(2, 3, px, px, dtype=torch.uint8)
            path = write("pips", net, example, ["logits"], {0: "n"}, args.out)
            quantise.values_to_bytes(path, typical.crops(facts.get("families", FAMILIES)))
            settings = {
                "temperature": args.temperature or 1.0,
                "threshold": 0.7 if args.threshold is None else args.threshold,
                "margin": dice_data.MARGIN,
                "die": 0.3,
                "none": 0.1,
            }
            manifest("pips", path, DICE_LABELS, settings, facts, f"n,{px},{px},3")
        else:
            net = nets.FinderNet() if which == "finder" else nets.DiceNet()
            net.load_state_dict(weights)
            facts["data"] = (
                "composed scenes, photos_homes and photos_autotable (taught), virtual-table frames"
                if which == "finder"
                else _dice(facts)
            )
            path = write(
                which,
                net,
                torch.zeros(1, 3, 64, 96, dtype=torch.uint8),
                ["maps", "arms"] if which == "finder" else ["maps"],
                {2: "h", 3: "w"},
                args.out,
            )
            usual = 0.3 if which == "finder" else 0.2
            settings = {"threshold": usual if args.threshold is None else args.threshold}
            if which == "finder":
                quantise.maps_to_bytes(path, typical_pictures())
                # the fourth kind of file: whole numbers, ranges from photographs as well, the
                # picture's bytes in, four pixels at a time
                facts["version"] = f"4.{_steps(facts)}"
                # where found and invented tiles part, by posture
                settings = {
                    "threshold_face_up": 0.35,
                    "threshold_face_down": 0.55,
                    "threshold_standing": 0.32,
                }
            else:
                quantise.maps_to_bytes(path, typical.pictures(facts.get("families", FAMILIES)))
                # the second kind of file: whole numbers, four pixels at a time
                facts["version"] = f"2.{_steps(facts)}"
            manifest(which, path, (), settings, facts, "1,h,w,3")
        print(f"{path} {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
