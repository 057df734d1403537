"""Writes measured figures into the manifests and into the model card ``models/README.md``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vision import modelfile

NAMES = ("finder", "reader", "dice", "pips")
_PHOTOS = (
    "photographs homes-hand (unseen)",
    "photographs homes-felt (trained on)",
    "photographs homes-box (trained on)",
    "photographs autotable (trained on)",
    "all photographs",
    "pictures without faces",
)
_OF = {
    "finder": ("virtual table", *_PHOTOS),
    "reader": (
        "faces unseen designs",
        "faces unseen designs, 24 px, soft",
        "enrolled, photographed sets (unseen)",
        "enrolled, unseen sets on the virtual table",
        "virtual table",
        "photographs homes-hand (unseen)",
    ),
    "dice": ("dice coloured (unseen)", "dice virtual table"),
    "pips": ("dice coloured (unseen)", "dice virtual table"),
}
_HEAD = """# The models

Four small nets, run by onnxruntime. Each `NAME.onnx` has a manifest `NAME.json`: checksum, labels,
thresholds, training, figures. Written by `python -m vision.training.evaluate --write`; rebuilt by
`make models` (docs/decisions 0160 to 0171).

| model | what | input | size |
|---|---|---|---|
"""
_WHAT = {
    "finder": "tiles at any rotation: corners, posture, visible share; arms",
    "reader": "face of an upright or upside-down crop: 34 kinds, red fives, flowers, back, none",
    "dice": "boxes of dice",
    "pips": "value of a die's crop, or none",
}
_SPLIT = """
## What was kept apart

By family, never by picture. Designs never trained on: ymi-cream-flowerdot, ymi-ivory-travel,
taobao-thin-2bt (one artwork), white-blue-shoudot, american-artrageous; kept apart for the
temperature: zizhu-cream, bone-peacock-pots. Photographs never trained on: `hand_*` of
`photos_homes` (other homes, other sets, green mat). Dice: `mixed` teaches, `coloured` (other dice,
another camera) judges. The frames of the virtual table are new random tables, looks and cameras,
but its designs were trained on.

Enrolment is judged on the same designs and on drawn ones of seeds that were not trained on: on
photographed faces from half of the copies (flowers from another view) under new light, slant,
blur and noise; on the virtual table from one picture of the block by the whole program, then on all
tiles lying about face up under other lamps, found by the finder, other copies where there are any.
Five frames are of one place: noise differs, light does not.

The labels of the photographs are axis-aligned hulls made into oriented boxes from their
neighbours; the overlap that is measured against them is limited by that. Tiles outside the
labelled rows are not labelled: inventions are counted among the labelled tiles only. Hulls of
tiles that stand askew are larger than the tiles; the overlap is therefore given for tiles in
straight rows as well, whose hulls have the tile's own shape. Seven labels that the pictures
contradict are put right (docs/decisions/0166).

## Looked at by eye

`python -m vision.training.evaluate photos --draw FOLDER` writes contact sheets. Faults found:

- squeezed photographs (tiles 2.3 to 7.3 times as high as wide): parts of tiles were told as faces;
  now looked at in several shapes (docs/decisions/0164);
- white backs in walls seen from the side: read as white dragons or `?`;
- backs imagined in floor boards, checked cloth, chips and shadows, at confidences of 0.5 to 0.7;
- flowers without signs are taken for one another: `5f` for `8f`, `4f` for `3f`, `6f` for `5f`;
- faces cut by the picture's edge and faces under hands are mostly `?`;
- a tile at the end of a row that stands higher than its neighbours is sometimes missed.

## Figures

Shares in per cent. "sure": beyond the threshold below which `?` is said.
"""


def write(told: dict[str, Any]) -> None:
    """Put the figures into manifests and card; what was not measured now stays as it stands there.

    A newly exported model has no figures, so none of another model's are kept.
    """
    folder = modelfile.default_dir()
    told = known(folder) | told
    for name in NAMES:
        path = folder / f"{name}.json"
        raw = json.loads(path.read_text("utf-8"))
        raw["measured"] = {key: told[key] for key in _OF[name] if key in told}
        path.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / "README.md").write_text(card(told, folder), "utf-8")


def known(folder: Path) -> dict[str, Any]:
    """Figures that stand in the manifests, by title, in the order of the card."""
    stood: dict[str, Any] = {}
    for name in NAMES:
        stood |= json.loads((folder / f"{name}.json").read_text("utf-8"))["measured"]
    order = [title for name in ("reader", "finder", "dice", "pips") for title in _OF[name]]
    return {title: stood[title] for title in [*order, *stood] if title in stood}


def card(told: dict[str, Any], folder: Path) -> str:
    """The model card."""
    text = _HEAD
    for name in NAMES:
        raw = json.loads((folder / f"{name}.json").read_text("utf-8"))
        size = (folder / f"{name}.onnx").stat().st_size / 1e6
        shape = raw["input"]["shape"]
        text += f"| `{name}` {raw['version']} | {_WHAT[name]} | {shape} | {size:.1f} MB |\n"
    text += _SPLIT
    for title, figures in told.items():
        if not isinstance(figures, dict):
            continue
        text += f"\n### {title}\n\n"
        plain = {k: v for k, v in figures.items() if not isinstance(v, dict)}
        tables = {k: v for k, v in figures.items() if isinstance(v, dict) and "right" in v}
        for key, value in plain.items():
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            text += f"- {key}: {shown}\n"
        if tables:
            text += "\n| | n | right | sure | right of the sure | wrong above 0.9 | confused |\n"
            text += "|---|---|---|---|---|---|---|\n"
            for key, row in tables.items():
                pairs = " · ".join(row["confused"]) or "–"
                cells = [row[c] for c in ("n", "right", "sure", "right of the sure")]
                cells.append(row["wrong above 0.9"])
                text += f"| {key} | {' | '.join(map(str, cells))} | {pairs} |\n"
    return text
