"""A reader that has not seen one family: how it is made and judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.vision.training.test_split import photo
from vision.training import reader_fold
from vision.training.judging.tally import parts_of
from vision.training.pictures.groups import HOMES
from vision.training.pictures.taught import NEXT, Place
from vision.training.rebuild import Size, steps
from vision.training.work import WORK


def test_what_judges_the_fold_is_left_out_of_it() -> None:
    train, export = reader_fold.steps(0.5, 7)
    assert train[:3] == ["train_reader", "--apart", reader_fold.APART]
    assert train[train.index("--minutes") + 1] == "45"
    assert export[0] == "export"
    families = tuple(f for f in NEXT.photographs if f != reader_fold.APART)
    seen = replace(NEXT, photographs=families)
    tables = photo("autotable", "automatic tables")
    painted = photo("homes-box", reader_fold.PAINTED_HOME)
    assert seen.places([photo("homes-box", ""), tables, painted])[1:] == [Place.NEW, Place.NEW]
    assert reader_fold.PAINTED_HOME in HOMES


def test_the_rebuild_measures_it_once_all_models_stand(tmp_path: Path) -> None:
    modules = [module for module, *_ in steps(Size(), 1, tmp_path)]
    assert modules.index("export") < modules.index("reader_fold") < modules.index("evaluate")


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("5p", {"34 kinds", "plain fives"}),
        ("0p", {"red fives"}),
        ("3f", {"flowers"}),
        ("7z", {"34 kinds"}),
    ],
)
def test_what_a_face_counts_among(label: str, parts: set[str]) -> None:
    assert set(parts_of(label)) == parts


def test_figures_do_not_stand_where_the_run_tells_of_itself() -> None:
    """A fold whose judging was interrupted would have put its training's facts on the card."""
    train, _ = reader_fold.steps(1, 1)
    checkpoint = WORK / f"{train[train.index('--name') + 1]}.pt"
    assert checkpoint.with_suffix(".json") != reader_fold.FIGURES
