"""No set and no home teaches and judges at once."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.training.dice import photos as dice_photos
from vision.training.pictures import groups, sources, taught
from vision.training.pictures.groups import Part
from vision.training.pictures.sources import Photo
from vision.training.pictures.taught import NEXT, Art, Place, Taught

data = pytest.mark.skipif(not sources.DATA.is_dir(), reason="needs the data of the trainings")
SHIPPED = Taught(
    designs=("white-bold-greenbird", "american-blue-crane"),
    chose=("zizhu-cream",),
    photographs=("homes-felt",),
    homes_apart=(),
    grounds=("mixed",),
)
_ALIKE, _SIDE = 0.95, 16


def test_no_design_is_of_two_artworks() -> None:
    designs = [design for art in groups.ARTWORK.values() for design in art.designs]
    assert len(set(designs)) == len(designs) == 17


@pytest.mark.parametrize(
    ("design", "artwork"),
    [
        ("white-bold-greenbird", "parrot"),
        ("taobao-thin-2bt", "parrot"),
        ("zizhu-cream", "parrot"),
        ("american-artrageous", "american"),
        ("american-blue-crane", "american"),
        ("white-blue-shoudot", "plants by number"),
        ("drawn 4242-2", "drawn 4242-2"),
    ],
)
def test_the_artwork_of_a_design(design: str, artwork: str) -> None:
    assert groups.artwork_of(design) == artwork


def test_what_judges_next_has_artwork_that_nothing_teaches() -> None:
    every = [design for art in groups.ARTWORK.values() for design in art.designs]
    judged = NEXT.judged(every)
    assert set(judged) == set(groups.designs_of(Part.TEST))
    assert set(judged.values()) == {Art.NEW}
    artwork = [
        {groups.artwork_of(d) for d in NEXT.designs},
        {groups.artwork_of(d) for d in NEXT.chose},
    ]
    assert not artwork[0] & artwork[1]


@pytest.mark.parametrize(
    ("design", "new"),
    [
        pytest.param("ymi-ivory-travel", Art.KNOWN, id="the same parrot as white-bold-greenbird"),
        pytest.param("american-artrageous", Art.KNOWN, id="the dragons of american-blue-crane"),
        ("white-blue-shoudot", Art.NEW),
        pytest.param("zizhu-cream", None, id="it chose the thresholds"),
        pytest.param("white-bold-greenbird", None, id="it taught"),
    ],
)
def test_how_new_a_design_is(design: str, new: Art | None) -> None:
    assert SHIPPED.judged([design]).get(design) is new


def photo(family: str, home: str, *, own_set: bool = False) -> Photo:
    return Photo(Path("x.jpg"), family, (), home, own_set)


def test_how_new_a_photograph_is() -> None:
    rows = [
        (photo("homes-felt", ""), Place.TAUGHT),
        (photo("homes-felt", "beige laminate"), Place.TAUGHT),
        (photo("homes-hand", ""), Place.KNOWN),
        (photo("homes-hand", "beige laminate"), Place.KNOWN),
        (photo("homes-hand", "beige laminate", own_set=True), Place.NEW_SET),
        (photo("homes-hand", "walnut table", own_set=True), Place.NEW),
    ]
    assert SHIPPED.places([one for one, _ in rows]) == [place for _, place in rows]


def test_automatic_tables_are_new_to_who_has_seen_homes_alone() -> None:
    """They had no name of a home, and passed for the tables that many homes show."""
    tables = photo("autotable", "automatic tables")
    assert SHIPPED.places([photo("homes-felt", ""), tables])[1] is Place.NEW
    assert NEXT.places([tables]) == [Place.TAUGHT]


def raw(seen: Taught) -> dict[str, list[str]]:
    names = ("designs", "chose", "photographs", "homes_apart", "grounds")
    return {name: list(getattr(seen, name)) for name in names}


def test_a_run_has_seen_what_those_it_started_from_saw() -> None:
    first = {"taught": raw(SHIPPED)}
    second = {"taught": raw(NEXT), "start": first}
    seen = taught.of_run(second)
    assert set(SHIPPED.designs) <= set(seen.designs)
    # all homes of the family taught the first run, and of no other family
    assert "teal felt with trays" not in seen.homes_apart
    assert not seen.by(photo("homes-hand", "walnut table"))


def test_what_a_shipped_start_saw_is_in_its_file_for_all_of_its_runs() -> None:
    shipped = {"version": "3.6518", "taught": raw(SHIPPED), "start": {"steps": 832}}
    seen = taught.of_run({"taught": raw(NEXT), "start": shipped})
    assert set(SHIPPED.designs) <= set(seen.designs)
    with pytest.raises(KeyError):
        taught.of_run({"taught": raw(NEXT), "start": {"steps": 832}})


@pytest.mark.parametrize("design", ["ymi-cream-flowerdot", "taobao-thin-2bt", "drawn 4242-2"])
def test_a_stranger_is_of_another_artwork(design: str) -> None:
    sets = [
        "ymi-cream-flowerdot",
        "white-blue-shoudot",
        "american-artrageous",
        "taobao-thin-2bt",
        "ymi-ivory-travel",
        "drawn 4242-2",
        "drawn 4242-3",
    ]
    other = groups.stranger_to(design, sets)
    assert other != design
    assert groups.artwork_of(other) != groups.artwork_of(design)


def test_there_is_no_stranger_among_relations() -> None:
    with pytest.raises(ValueError, match="no set of another artwork"):
        groups.stranger_to("ymi-ivory-travel", ["ymi-ivory-travel", "zizhu-cream"])


@data
def test_every_design_and_home_of_the_tables_is_there() -> None:
    designs = {design for *_, design in sources.photographed_faces()}
    assert designs == {design for art in groups.ARTWORK.values() for design in art.designs}
    places = [f"{p.path.parent.name}/{p.path.name}" for p in taught.photos()]
    starts = [start for home in groups.HOMES.values() for start in home]
    for start in (*starts, *groups.OWN_SETS):
        assert any(place.startswith(start) for place in places), start


@data
def test_no_photograph_that_judges_is_like_one_that_teaches() -> None:
    """One photograph stood on both sides under two names."""
    looks: dict[bool, list[np.ndarray]] = {True: [], False: []}
    for one in taught.photos():
        grey = cv2.imread(str(one.path), cv2.IMREAD_GRAYSCALE)
        assert grey is not None, one.path
        small = cv2.resize(grey, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).ravel()
        looks[NEXT.by(one)].append((small - small.mean()) / (small.std() + 1e-6))
    teaches, judges = (np.array(looks[side]) for side in (True, False))
    assert len(judges) > 70
    assert (judges @ teaches.T / _SIDE**2).max() < _ALIKE


@data
def test_a_label_is_put_right_or_added_where_there_is_such_a_photograph() -> None:
    photos = {f"{p.path.parent.name}/{p.path.name}": p for p in taught.photos()}
    for start, _ in sources.CORRECTED:
        assert len([name for name in photos if name.startswith(start)]) == 1, start
    for start, added in sources.ADDED.items():
        (one,) = [p for name, p in photos.items() if name.startswith(start)]
        assert one.boxes[-len(added) :] == added


@data
def test_no_tile_is_labelled_twice() -> None:
    """A tile that was found counted as missed beside itself in thirteen photographs."""
    for one in taught.photos():
        for i, box in enumerate(one.boxes):
            shares = [sources.overlap(box.xyxy, other.xyxy) for other in one.boxes[:i]]
            assert max(shares, default=0) < 0.5, one.path.name


@data
def test_where_no_dice_lie() -> None:
    """An automatic table's dome with its dice taught that dice are none."""
    photos = sources.without_dice()
    assert len(photos) > 200
    assert not [p.path.name for p in photos if p.path.name.startswith("IMG_27")]
    assert all(NEXT.by(p) for p in photos)


@data
def test_dice_that_their_labels_tell_wrongly() -> None:
    """A green three was labelled two, a violet six five, a side's six taken for the top's five."""
    rows = map(json.loads, (sources.DATA / "dice" / "labels.jsonl").read_text().splitlines())
    labels = {(row["image"], n): die["value"] for row in rows for n, die in enumerate(row["dice"])}
    read = {
        (f"coloured/{path.name}", n): kind + 1
        for path, dice in dice_photos.photographs("coloured")
        for n, (_, kind) in enumerate(dice)
    }
    changed = {place: value for place, value in read.items() if value != labels[place]}
    assert changed == dice_photos._RELABELLED
    assert sorted(changed.values()) == [3, 3, 3, 3, 4, 5, 6]
