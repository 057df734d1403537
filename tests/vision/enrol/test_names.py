"""Tiles are named by likeness, by the net, and by what a whole set has."""

from __future__ import annotations

import numpy as np
import pytest

from vision.enrol.names import Named, groups_of, name_tiles
from vision.enrol.sets import SETS, nearest

KINDS = [f"{n}{s}" for s in "mps" for n in range(1, 10)] + [f"{n}z" for n in range(1, 8)]
LABELS = [*KINDS, "0m", "0p", "0s", *(f"{n}f" for n in range(1, 9)), "back", "?"]


def whole(name: str) -> list[str]:
    return [face for face, n in SETS[name].items() for _ in range(n)]


def named(
    looks: list[str],
    opinions: dict[str, dict[str, float]] | None = None,
    fixed: dict[int, str] | None = None,
    set_name: str | None = None,
) -> Named:
    """Name tiles that look like ``looks``; the net names them, or as in ``opinions``."""
    same = np.array([[a == b for b in looks] for a in looks])
    rng = np.random.default_rng(1)
    likeness = np.where(same, 0.97, 0.45) + rng.uniform(-0.02, 0.02, same.shape)
    opinion = np.full((len(looks), len(LABELS)), 1e-4)
    for row, look in enumerate(looks):
        for label, p in (opinions or {}).get(look, {look: 0.98}).items():
            opinion[row, LABELS.index(label)] = p
    opinion /= opinion.sum(axis=1, keepdims=True)
    likeness = (likeness + likeness.T) / 2
    return name_tiles(np.log(opinion), likeness, LABELS, fixed=fixed, set_name=set_name)


@pytest.mark.parametrize("name", list(SETS))
def test_every_set_is_named_and_known(name: str) -> None:
    done = named(whole(name))
    assert list(done.faces) == whole(name)
    assert all(done.sure)
    assert done.set_name == name


def test_a_missing_and_a_doubled_tile_do_not_become_each_other() -> None:
    looks = whole("144")
    looks[looks.index("6p")] = "5p"
    done = named(looks)
    assert list(done.faces) == looks


def test_a_bird_that_the_net_never_saw_is_named_by_elimination_and_asked_about() -> None:
    looks = whole("144")
    done = named(looks, {"1s": {"?": 0.9, "1f": 0.05, "1s": 0.02}})
    assert list(done.faces) == looks
    assert not any(s for s, look in zip(done.sure, looks, strict=True) if look == "1s")
    assert all(s for s, look in zip(done.sure, looks, strict=True) if look != "1s")


def test_flowers_are_each_there_once() -> None:
    looks = whole("144")
    # the net takes both for the orchid, one of them a little less
    opinions = {"6f": {"6f": 0.7, "8f": 0.2}, "8f": {"6f": 0.55, "8f": 0.4}}
    done = named(looks, opinions)
    assert list(done.faces) == looks
    asked = [look for look, sure in zip(looks, done.sure, strict=True) if not sure]
    assert asked == ["6f", "8f"]


def test_what_the_technician_says_holds_and_frees_the_other() -> None:
    looks = whole("144")
    opinions = {"6f": {"8f": 0.6, "6f": 0.3}, "8f": {"6f": 0.6, "8f": 0.3}}
    wrong = named(looks, opinions)
    assert [wrong.faces[looks.index(f)] for f in ("6f", "8f")] == ["8f", "6f"]
    told = named(looks, opinions, fixed={looks.index("6f"): "6f"})
    assert list(told.faces) == looks
    assert told.sure[looks.index("6f")]


def test_what_the_technician_says_is_not_overruled_by_a_look_alike() -> None:
    """The net takes the orchid for the bamboo, and cannot read the bamboo itself."""
    looks = whole("144")
    opinions = {"5f": {"7f": 0.9}, "7f": {"?": 0.9}}
    orchid, bamboo = looks.index("5f"), looks.index("7f")
    told = named(looks, opinions, fixed={bamboo: "7f"})
    assert (told.faces[bamboo], told.sure[bamboo]) == ("7f", True)
    assert told.faces[orchid] != "7f"
    rest = [n for n in range(len(looks)) if n not in (orchid, bamboo)]
    assert [told.faces[n] for n in rest] == [looks[n] for n in rest]


def test_a_tile_that_looks_unlike_its_kind_is_what_the_technician_says() -> None:
    looks = whole("136")
    stained = looks.index("3p")
    looks[stained] = "stained"
    told = named(looks, {"stained": {"?": 0.9}}, fixed={stained: "3p"})
    assert list(told.faces) == whole("136")
    assert all(told.sure)


@pytest.mark.parametrize("red", ["0m", "0p", "0s"])
def test_a_red_five_among_its_look_alikes_is_one(red: str) -> None:
    """The net sees no red in any of the four."""
    plain = f"5{red[1]}"
    looks = [plain if look == red else look for look in whole("136-red")]
    told = named(looks, fixed={looks.index(plain): red}, set_name="136-red")
    assert [face for face, look in zip(told.faces, looks, strict=True) if look == plain] == [
        red,
        *[plain] * 3,
    ]


def test_two_tiles_that_look_alike_are_both_what_the_technician_says() -> None:
    looks = [*whole("136"), "1p"]
    told = named(looks, fixed={looks.index("1p"): "2p", len(looks) - 1: "3p"}, set_name="136")
    assert (told.faces[looks.index("1p")], told.faces[-1]) == ("2p", "3p")


def test_a_joker_is_no_tile_of_the_set() -> None:
    looks = [*whole("136"), "joker"]
    done = named(looks, {"joker": {"?": 0.9, "1p": 0.02}})
    assert done.faces[-1] == "?"
    assert list(done.faces[:-1]) == looks[:-1]


def test_the_set_that_is_asked_for_is_taken() -> None:
    assert named(whole("108"), set_name="136").set_name == "136"


def test_groups_need_to_be_alike_as_a_whole() -> None:
    # 2 looks like 1 and 3, but 1 and 3 are not alike
    likeness = np.array([[1, 0.9, 0.4], [0.9, 1, 0.89], [0.4, 0.89, 1]])
    assert sorted(map(sorted, groups_of(likeness))) == [[0, 1], [2]]


def test_sets_add_up() -> None:
    assert {name: sum(counts.values()) for name, counts in SETS.items()} == {
        "144": 144,
        "136": 136,
        "136-red": 136,
        "144-red": 144,
        "108": 108,
        "108-three": 108,
        "108-three-red": 108,
    }
    assert nearest({"1m": 4, "9m": 4, "1z": 4, "0p": 1, "0s": 1}) == "108-three-red"
