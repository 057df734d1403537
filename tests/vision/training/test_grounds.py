"""The pictures under drawn scenes: none that teaches lies under one that judges."""

from __future__ import annotations

import itertools

import pytest

from vision.training.pictures import grounds, sources
from vision.training.pictures.groups import Part

pytestmark = pytest.mark.skipif(not sources.DATA.is_dir(), reason="needs the data of the trainings")


def pictures(part: Part) -> set[str]:
    quarter, families = grounds.QUARTERS[part], grounds.families_of(part)
    return {str(path) for path in grounds.dice_pictures(families, quarter)}


def test_no_picture_is_of_two_parts() -> None:
    for one, other in itertools.combinations(Part, 2):
        assert not pictures(one) & pictures(other)


def test_one_family_teaches_and_another_judges() -> None:
    assert not set(grounds.families_of(Part.TRAIN)) & set(grounds.families_of(Part.TEST))
    assert grounds.families_of(Part.TRAIN)
    assert grounds.families_of(Part.TEST)


@pytest.mark.parametrize("part", list(Part))
@pytest.mark.parametrize("limit", [20, 60])
def test_no_more_than_asked_for(part: Part, limit: int) -> None:
    assert len(grounds.photo_grounds(limit, part)) == limit
