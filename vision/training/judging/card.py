"""Writes measured figures into the manifests and into the model card ``models/README.md``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vision.nets import modelfile
from vision.training.judging import asked, headings, licences
from vision.training.judging.headings import NAMES
from vision.training.pictures import groups, sources
from vision.training.pictures.taught import Art, Taught

NOTES = "notes.md"
"""Beside the models: what a person saw and found, by section, each of certain weights."""
_HEAD = """# The models

Four small nets, run by onnxruntime. Each `NAME.onnx` has a manifest `NAME.json`: checksum, labels,
thresholds, training, figures. Written by `python -m vision.training.evaluate --write`; rebuilt by
`make models` (docs/decisions 0160 to 0179, 0341, 0342).

| model | what | input | size |
|---|---|---|---|
"""
_WHAT = {
    "finder": "tiles at any rotation: corners, posture, visible share; arms",
    "reader": "face of an upright or upside-down crop: 34 kinds, red fives, flowers, back, none",
    "dice": "boxes of dice",
    "pips": "value of a die's crop, or none",
}
_JUDGED = """
Dice: of those drawn two scenes in five are seen from 38 to 66 degrees; sharp ones that lean by 24
to 50 are told by no single picture. All of `coloured` is seen from less than 30 degrees; `mixed`
was judged by eye, to some five degrees. 17 dice no person could read or are labelled wrongly, named
one by one in decision 0190. The frames of the virtual table are new random tables, looks and
cameras, but its designs were trained on.

Enrolment is judged on the same designs and on drawn ones of seeds that were not trained on: on
photographed faces from half of the copies (flowers from another view) under new light, slant,
blur and noise; on the virtual table from one picture of the block by the whole program, then on all
tiles lying about face up under other lamps, found by the finder, other copies where there are any.
Tiles that were not found are not read; a block in which a tile was named wrongly enrols what lies
there in truth, as a technician would put it right: both are counted with the figures. Five frames
are of one place: noise differs, light does not.

The labels of the photographs are axis-aligned hulls drawn by hand: a find's own hull is compared
with them. They are a little wide, narrow or low, in each photograph in its own way, so the overlap
is given with the labels as they are and without each photograph's usual excess; how exact the
oriented boxes are is told by composed scenes, whose corners are known (docs/decisions/0175), and by
270 faces of 18 photographs whose corners were marked by hand to a pixel or so ("marked corners",
docs/decisions/0370). Tiles
outside the labelled rows are not labelled: inventions are counted among the labelled tiles only,
where some lie unlabelled too, and nothing that the picture's edge cuts. {corrected} labels that the
pictures contradict are put right and {added} tiles among them that bear none are added (`CORRECTED`
and `ADDED` in `vision/training/pictures/sources.py`), and seven photographs in which every tile is
labelled `1p` are left out.
"""
_FIGURES = """
## Figures

Shares in per cent. "sure": beyond the threshold below which `?` is said. Of photographs that taught
40 of a family are read, drawn by lot; of the others all.
"""


def write(told: dict[str, Any]) -> None:
    """Put the figures into manifests and card; what was not measured now stays as it stands there.

    A newly exported model has no figures, so none of another model's are kept.
    """
    folder = modelfile.default_dir()
    manifests, seen = _manifests(folder), headings.seen_by(folder)
    told = headings.known(manifests, seen) | told
    for name, raw in manifests.items():
        titles = headings.owned(name, seen)
        raw["measured"] = {title: told[title] for title in titles if title in told}
        text = json.dumps(raw, indent=1, ensure_ascii=False) + "\n"
        (folder / f"{name}.json").write_text(text, "utf-8")
    (folder / "README.md").write_text(card(told, folder), "utf-8")


def card(told: dict[str, Any], folder: Path) -> str:
    """The model card."""
    manifests, seen = _manifests(folder), headings.seen_by(folder)
    text = _HEAD
    for name, raw in manifests.items():
        size = (folder / f"{name}.onnx").stat().st_size / 1e6
        shape = raw["input"]["shape"]
        text += f"| `{name}` {raw['version']} | {_WHAT[name]} | {shape} | {size:.1f} MB |\n"
    order = dict.fromkeys(t for name in ("reader", *NAMES) for t in headings.owned(name, seen))
    text += asked.section(told, order)
    text += apart(seen, manifests)
    text += _JUDGED.format(
        corrected=len(sources.CORRECTED), added=sum(map(len, sources.ADDED.values()))
    )
    text += notes(folder, manifests)
    text += licences.section()
    text += _FIGURES
    for title in order:
        if title in told:
            text += _figures(title, told[title])
    return text


def apart(seen: Taught, manifests: dict[str, dict[str, Any]]) -> str:
    """What was kept apart from the models, as their manifests say."""
    judged = seen.judged(design for art in groups.ARTWORK.values() for design in art.designs)
    text = (
        "\n## What was kept apart\n\nGroups were told by eye (docs/decisions/0341): designs that "
    )
    text += "share artwork, photographs of one home.\n\n"
    text += f"- designs that taught: {_named(seen.designs)}\n"
    text += f"- designs that chose temperature and thresholds: {_named(seen.chose)}\n"
    for art in Art:
        designs = [design for design, its in judged.items() if its is art]
        text += f"- designs that judge, {art}: {_named(designs) or 'none'}\n"
    text += f"- photographs that taught: {', '.join(seen.photographs)}"
    text += f", but for {', '.join(seen.homes_apart)}\n" if seen.homes_apart else "\n"
    for name, what in (("dice", "the finder of dice"), ("pips", "the reader of their values")):
        families = manifests[name]["training"].get("families", ())
        text += f"- photographs of dice that taught {what}: {', '.join(families) or 'none'}\n"
    return text


def notes(folder: Path, manifests: dict[str, dict[str, Any]]) -> str:
    """The sections of :data:`NOTES` that are about these weights; none of others.

    A section is ``## Title`` and ``of: NAME CHECKSUM, ...`` (the first twelve digits) below it.
    """
    path = folder / NOTES
    if not path.exists():
        return ""
    text = ""
    for part in path.read_text("utf-8").split("\n## ")[1:]:
        title, of, body = part.split("\n", 2)
        weights = (one.split() for one in of.removeprefix("of: ").split(", "))
        if all(manifests[name]["sha256"].startswith(digits) for name, digits in weights):
            text += f"\n## {title}\n{body.rstrip()}\n"
    return text


def _named(designs: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"{design} ({groups.artwork_of(design)})" for design in designs)


def _figures(title: str, figures: dict[str, Any]) -> str:
    text = f"\n### {title}\n\n"
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


def _manifests(folder: Path) -> dict[str, dict[str, Any]]:
    return {name: json.loads((folder / f"{name}.json").read_text("utf-8")) for name in NAMES}
