"""Reading before and after enrolment, on tile sets that no net was trained on, by artwork.

Two judges. *Photographed sets*: the faces of the designs kept apart, enrolled from half of
their copies (flowers, of which there is one each, from another view) and judged on the other
half under new light, lens, slant and noise, five frames of each view. *Virtual table*: the same
sets put on the virtual table, enrolled from one picture of the block by the whole program, and
judged on tables on which all tiles lie about face up, found by the finder; other copies of the
tiles where there are any. A tile that was not found is not read: how many are stands beside the
figures, and so do the blocks in which a tile was named wrongly; there what enrols is the truth, as
a technician would put it right. On the photographed sets tiles of a set of another artwork and
jokers are read as well.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from hardware.virtual_table.camera import block as blocks
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Annotator, Look, Renderer, random_look
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import Pose, Scene, TileBody
from vision.enrol.enrolment import enrol
from vision.image import Image
from vision.nets import modelfile
from vision.nets.enrolled import TileSet
from vision.nets.evidence import FOREIGN, FaceEvidence
from vision.nets.finder import Finder
from vision.nets.reader import FaceReader, FaceReading, crops_of
from vision.training.evaluate import SPECIAL
from vision.training.judging import headings
from vision.training.judging.tally import Tally, match
from vision.training.pictures import augment, cut_outs, drawn, face_data, groups, sources, taught
from vision.training.pictures.sources import FLOWERS, KINDS

FRAMES = 5
_W, _H = face_data.W, face_data.H
_SHORT = (24.0, 60.0)
"""Short side of a tile at venue cameras, pixels: 1080 to 2160 lines over the table."""
_RED = 6.0
"""Least mean difference of a red five from a plain one, of 255; some designs draw them alike."""


def arts() -> dict[str, str]:
    """Photographed sets never trained on, and how new their artwork is."""
    seen = taught.of_models(modelfile.default_dir(), ("finder", "reader"))
    return dict(seen.judged(design for *_, design in sources.photographed_faces()))


def designs() -> dict[str, dict[str, list[Image]]]:
    """Photographed sets never trained on: pictures by face."""
    return {
        design: {label: faces for label, faces in table.items() if label != "back"}
        for design, table in cut_outs.sets_of(arts()).items()
    }


def drawn_sets(count: int, seed: int = 4242) -> dict[str, dict[str, list[Image]]]:
    """Drawn sets of seeds that no training used, with red fives that differ from the plain ones."""
    out: dict[str, dict[str, list[Image]]] = {}
    for k, design in enumerate(drawn.designs(12, seed)):
        faces = {f: [design.face(f)] for f in drawn.drawable(design)}
        apart = [
            float(cv2.absdiff(faces[f"5{s}"][0], faces[f"0{s}"][0]).mean())
            for s in "mps"
            if f"0{s}" in faces
        ]
        if len(apart) == 3 and min(apart) > _RED and len(out) < count:
            out[f"drawn {seed}-{k}"] = faces
    return out


# -- photographed faces under new light ---------------------------------------------------------


def venue_light(rng: np.random.Generator, image: Image) -> Image:
    """Another place, hour or lamp of one venue: cast, slope, glare, shadow, exposure, contrast.

    Milder than what training does in one thing only: a camera keeps its colours' strength within a
    fifth, so that a red five stays red.
    """
    h, w = image.shape[:2]
    ys, xs = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j].astype(np.float32)
    out = image.astype(np.float32) * rng.uniform(0.92, 1.08, 3).astype(np.float32)
    a = rng.uniform(0, 2 * np.pi)
    slope = xs * np.float32(np.cos(a)) + ys * np.float32(np.sin(a))
    out *= (1 + np.float32(rng.uniform(0, 0.25)) * slope)[..., None]
    if rng.random() < 0.2:  # the edge of a shadow
        edge = 1 / (1 + np.exp(-(slope + rng.uniform(-0.7, 0.7)) * rng.uniform(4, 25)))
        out *= (1 - rng.uniform(0.15, 0.5) * edge)[..., None].astype(np.float32)
    if rng.random() < 0.12:  # a lamp mirrored in the surface
        x, y, r = rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), rng.uniform(0.15, 0.4)
        spot = np.exp(-(((xs - x) / r) ** 2 + ((ys - y) / r) ** 2))
        out += (rng.uniform(30, 160) * spot)[..., None].astype(np.float32)
    grey = out.mean(axis=2, keepdims=True)
    out = grey + (out - grey) * np.float32(rng.uniform(0.8, 1.2))
    out = (out - 128) * np.float32(rng.uniform(0.75, 1.1)) + 128
    out = out * np.float32(rng.uniform(0.6, 1.15)) + np.float32(rng.uniform(-10, 15))
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def frames_of(rng: np.random.Generator, face: Image, others: list[Image]) -> np.ndarray:
    """(5, 64, 48, 3) crops of one place: light, lens and slant stay, noise and outline do not."""
    canvas = face_data.around(rng, face, others, [])
    short = float(np.exp(rng.uniform(*np.log(_SHORT))))
    f = short / _W
    a = np.deg2rad(rng.uniform(-3, 3))
    size = np.array((int(2 * _W * f) + 8, int(2 * _H * f) + 8))
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * (_W, _H)
    goal = (corners * f) @ np.array([(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))]) + size / 2
    goal += rng.normal(0, 0.03, (4, 2)) * (_W * f, _H * f)
    fine = 2  # a camera averages over its pixels: draw finer, then average
    middle = np.array((_W, _H))
    matrix = cv2.getPerspectiveTransform(
        np.asarray(corners + middle - 0.5, np.float32), np.asarray(goal * fine - 0.5, np.float32)
    )
    drawn_finer = cv2.warpPerspective(
        canvas, matrix, tuple((size * fine).tolist()), borderMode=cv2.BORDER_REPLICATE
    )
    averaged = cv2.resize(drawn_finer, tuple(size.tolist()), interpolation=cv2.INTER_AREA)
    picture = np.asarray(averaged, np.uint8)
    picture = augment.lens(rng, venue_light(rng, picture), 0.3 + short * 0.015)
    quad = goal + rng.normal(0, 0.012, (4, 2)) * short + rng.normal(0, 0.015, 2) * short
    crops = []
    for _ in range(FRAMES):
        jitter = rng.normal(0, 0.006, (4, 2)) * short
        crops.append(crops_of(augment.sensor(rng, picture), (quad + jitter)[None])[0])
    return np.array(crops)


class Score:
    """Tallies of single frames and of five together, by what the tile is."""

    def __init__(self) -> None:
        self.rows: dict[str, Tally] = {}

    def add(self, truth: str, readings: list[FaceReading]) -> None:
        """Take in the readings of one tile, one a frame."""
        evidence = FaceEvidence()
        groups = ["flowers" if truth in FLOWERS else "34 kinds and red fives"]
        groups += [name for name, holds in SPECIAL.items() if holds(truth)]
        for one in readings:
            evidence.add(one.faces)
            for name in groups:
                self._row(f"{name}, one frame").add(truth, one.label, one.confidence, one.sure)
        label, chance = evidence.best()
        sure = label not in ("?", FOREIGN) and chance >= 0.6
        for name in groups:
            row = self._row(f"{name}, five frames")
            row.add(truth, label if sure else "?", chance, sure)

    def stranger(self, truth: str, readings: list[FaceReading]) -> None:
        """Take in the readings of a tile that is not of the set.

        ``?`` is right; of a face that the set has as well, its name is right too.
        """
        group = "faces of another set" if truth else "faces the set has not"
        evidence = FaceEvidence()
        for one in readings:
            evidence.add(one.faces)
            label = "?" if one.label == truth else one.label
            self._row(f"{group}, one frame").add("?", label, one.confidence, one.sure)
        label, chance = evidence.best()
        sure = label not in ("?", FOREIGN) and chance >= 0.6
        label = "?" if not sure or label == truth else label
        self._row(f"{group}, five frames").add("?", label, chance, sure)

    def _row(self, name: str) -> Tally:
        return self.rows.setdefault(name, Tally())

    @classmethod
    def sum(cls, scores: Iterable[Score]) -> Score:
        """Several sets together."""
        whole = cls()
        for score in scores:
            for name, row in score.rows.items():
                whole._row(name).take_in(row)
        return whole

    def figures(self, tag: str) -> dict[str, dict[str, object]]:
        """One row a group."""
        return {f"{name}, {tag}": self.rows[name].figures() for name in sorted(self.rows)}


def _halves(pictures: dict[str, list[Image]]) -> Iterator[tuple[str, list[Image], list[Image]]]:
    """By face: pictures to enrol, pictures to judge (the same one where there is but one)."""
    for face, images in pictures.items():
        if face not in KINDS:
            continue
        half = len(images) // 2
        yield face, images[:half] or images, images[half:]


def photographed(seed: int = 31, views: int = 3) -> dict[str, object]:
    """Figures on photographed faces, by how new the artwork is."""
    plain = FaceReader()
    scores: dict[str, list[tuple[str, Score, Score]]] = {}
    sets, art = {**designs(), **drawn_sets(2)}, arts()
    for number, (name, pictures) in enumerate(sets.items()):
        rng = np.random.default_rng((seed, number))
        before, after = Score(), Score()
        scores.setdefault(art.get(name, headings.DRAWN_SETS), []).append((name, before, after))
        everything = [image for images in pictures.values() for image in images]

        def view(face: Image) -> np.ndarray:
            near = [everything[k] for k in rng.integers(len(everything), size=4)]  # noqa: B023
            return frames_of(rng, face, near)  # noqa: B023

        faces = {}
        for face, shown, _ in _halves(pictures):
            means = [view(image).mean(axis=0).round() for image in (shown * 2)[:2]]
            faces[face] = np.array(means, np.uint8)
        reader = FaceReader(tiles=TileSet(faces))
        for face, _, judged in _halves(pictures):
            for image in judged:
                for _ in range(views):
                    crops = view(image)
                    before.add(face, plain.read_crops(crops))
                    after.add(face, reader.read_crops(crops))
        other = sets[groups.stranger_to(name, list(sets))]
        for face, images in [*pictures.items(), *other.items()]:
            if face not in faces and face != "back":
                for image in images:
                    after.stranger("", reader.read_crops(view(image)))
        for face, images in other.items():
            if face in faces:
                after.stranger(face, reader.read_crops(view(images[0])))
    return {
        headings.enrolled(kind): {"sets": ", ".join(name for name, *_ in rows)} | _figures(rows)
        for kind, rows in scores.items()
    }


def _figures(rows: list[tuple[str, Score, Score]]) -> dict[str, object]:
    return {
        **Score.sum(before for _, before, _ in rows).figures("before"),
        **Score.sum(after for *_, after in rows).figures("enrolled"),
    }


# -- the virtual table ----------------------------------------------------------------------------


def _look(rng: np.random.Generator, pictures: dict[str, list[Image]], copy: int) -> Look:
    faces = {f: images[copy % len(images)] for f, images in pictures.items()}
    return replace(random_look(rng), faces=faces)


def scattered(rng: np.random.Generator, layout: Layout, faces: list[str]) -> Scene:
    """All tiles face up at random places and turns, none on another."""
    cell = float(np.hypot(layout.tile_w, layout.tile_h)) * 1.04
    n = int(0.93 * layout.surface / cell)
    spots = rng.permutation(n * n)[: len(faces)]
    tiles = []
    for key, (face, spot) in enumerate(zip(faces, spots, strict=False)):
        x, y = (int(spot) % n - (n - 1) / 2) * cell, (int(spot) // n - (n - 1) / 2) * cell
        tiles.append(TileBody(key, face, x, y, 0.0, float(rng.uniform(0, 360)), Pose.FACE_UP))
    return Scene(0.0, tuple(tiles))


def whole(pictures: dict[str, list[Image]]) -> list[str]:
    """The faces of a set of these pictures: four of each, one of each flower and red five."""
    faces = []
    for face in KINDS:
        if face in pictures:
            red = f"0{face[1]}" in pictures and face[0] == "5"
            single = face in FLOWERS or face[0] == "0"
            faces += [face] * (1 if single else 3 if red else 4)
    return faces


@dataclass
class Blocks:
    """Counts over the sets of one kind that were enrolled on the virtual table."""

    scores: list[tuple[str, Score, Score]] = field(default_factory=list)
    named: int = 0
    wrong: int = 0
    unsure: int = 0
    put_right: int = 0
    lay: int = 0
    found: int = 0
    took: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, object]:
        """One row a group."""
        return {
            "sets": ", ".join(name for name, *_ in self.scores),
            "named in the block": f"{self.named - self.wrong} of {self.named}, "
            f"{self.unsure} to be confirmed",
            "blocks with a wrong name, put right by hand before they enrolled": self.put_right,
            "tiles found, the only ones that are read": f"{self.found} of {self.lay}",
            "seconds to enrol, median": round(float(np.median(self.took)), 1),
            **_figures(self.scores),
        }


def table(seed: int = 51, tables: int = 1, lines: int = 1080) -> dict[str, object]:
    """Figures on the virtual table, by how new the artwork is."""
    finder, plain = Finder(threads=2), FaceReader(threads=2)
    layout = Layout.load(blocks.GEOMETRY)
    kinds: dict[str, Blocks] = {}
    art = arts()
    for number, (name, pictures) in enumerate({**designs(), **drawn_sets(2)}.items()):
        count, before, after = (
            kinds.setdefault(art.get(name, headings.DRAWN_SETS), Blocks()),
            Score(),
            Score(),
        )
        count.scores.append((name, before, after))
        rng = np.random.default_rng((seed, number))
        camera = overhead((lines * 16 // 9, lines))
        look = _look(rng, pictures, 0)
        faces = [str(f) for f in rng.permutation(whole(pictures))]
        columns = 18 if len(faces) > 120 else 12
        scene = blocks.block(faces, columns, layout, angle=float(rng.normal(0, 2)), rng=rng)
        shown = blocks.photographs(scene, look, layout, camera, count=FRAMES, seed=number)
        mean = np.mean(shown, axis=0).round().astype(np.uint8)
        start = time.perf_counter()
        done = enrol([mean], finder, plain)
        count.took.append(time.perf_counter() - start)
        truth = {(k // columns + 1, k % columns + 1): f for k, f in enumerate(faces)}
        wrong = [(truth.get(c.place), c.face) for c in done.cells if truth.get(c.place) != c.face]
        count.named += len(faces)
        count.wrong += len(wrong) + abs(len(faces) - len(done.cells))
        count.unsure += len(done.unsure)
        if wrong:
            print(name, "named wrongly before the technician's word:", wrong, flush=True)
        if wrong:  # the technician looks at the picture and says so
            count.put_right += 1
            done = enrol([mean], finder, plain, known=truth)
        reader = FaceReader(threads=2, tiles=done.tiles)
        for k in range(tables):
            # the same tiles in daylight or another lamp: another copy's picture where there is one
            look = replace(_look(rng, pictures, 1 + k), design=look.design)
            scene = scattered(rng, layout, faces)
            renderer = Renderer(camera, layout, look, number)
            quads = np.array(
                [t.quad for t in Annotator(camera, layout, look).annotate(scene).tiles]
            )
            readings: dict[int, tuple[list[FaceReading], list[FaceReading]]] = {}
            for n in range(FRAMES):
                image = np.array(renderer.render(replace(scene, t=n / 10)))
                found = finder.find(image, float(np.linalg.norm(quads[0][1] - quads[0][0]))).tiles
                boxes = np.array([t.quad for t in found], np.float32)
                pairs = match(quads.astype(np.float32) + 0.5, boxes, 0.4)
                count.lay, count.found = count.lay + len(quads), count.found + len(pairs)
                crops = crops_of(image, boxes[[j for _, j, _ in pairs]])
                for (i, _, _), one, two in zip(
                    pairs,
                    plain.by_body(plain.read_crops(crops), crops),
                    reader.by_body(reader.read_crops(crops), crops),
                    strict=True,
                ):
                    both = readings.setdefault(i, ([], []))
                    both[0].append(one)
                    both[1].append(two)
            for i, both in readings.items():
                before.add(scene.tiles[i].face, both[0])
                after.add(scene.tiles[i].face, both[1])
    return {headings.enrolled_on_table(kind): count.figures() for kind, count in kinds.items()}


def enrolled(views: int = 3, tables: int = 1) -> dict[str, object]:
    """Both parts, by title."""
    return photographed(views=views) | table(tables=tables)
