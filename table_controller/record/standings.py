"""Many sessions become standings: points, ranks and tie-breaks of the ruleset.

Chinese official rules: standard points follow the rank at the table; players level at a table share
the points of the places they take (the sources leave this open). How players with equal standard
points are told apart is named by the ruleset in words; each of those words is a comparison here,
and a word that is not known is refused rather than left out. Riichi: the adjusted points (精算点)
of each match: the score over the points to return, in thousands, and the bonus for the place
(002 8.8).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from table_controller.game.riichi.rules import rules_of
from table_controller.game.seating import side_of, totals
from table_controller.record.session import SessionRecord
from table_controller.record.spreadsheet import plain
from table_controller.rulesets.model import Ruleset


class StandingsError(ValueError):
    """Sessions that cannot be put into one table; one line says why."""


@dataclass(frozen=True, slots=True)
class Result:
    """One player in one session."""

    player: str
    session: str
    score: int
    rank: int
    standard: Fraction
    """Standard points; for riichi the adjusted points with the bonus for the place (uma)."""
    best_hand: int = 0
    main_fan: int = 0


@dataclass(slots=True)
class Line:
    """One player over all sessions."""

    player: str
    results: list[Result] = field(default_factory=list)
    place: int = 0

    @property
    def standard(self) -> Fraction:
        """Sum of the standard points."""
        return sum((result.standard for result in self.results), Fraction(0))

    @property
    def score(self) -> int:
        """Sum of the scores."""
        return sum(result.score for result in self.results)


Key = Callable[[Line], Any]


def _best_hand(line: Line) -> int:
    return max((result.best_hand for result in line.results), default=0)


def _main_fan(line: Line) -> int:
    return max((result.main_fan for result in line.results), default=0)


_COMPARE: Final[dict[str, Key]] = {
    "standard points": lambda line: line.standard,
    "highest session standard points": lambda line: max(r.standard for r in line.results),
    "more of the high ones": lambda line: sorted((r.standard for r in line.results), reverse=True),
    "total game points": lambda line: line.score,
    "total competition score": lambda line: line.score,
    "best single session": lambda line: max(r.score for r in line.results),
    "best single hand": _best_hand,
    "main fan of the best hand": _main_fan,
    "shared place": lambda _line: 0,
    # Within one table only; over a tournament those players share the place.
    "first seating": lambda _line: 0,
}


def results_of(
    record: SessionRecord,
    session: str,
    players: Sequence[str] | None = None,
    *,
    unnamed: bool = False,
) -> list[Result]:
    """What one session gives each of its players.

    Args:
        record: of the session.
        session: its name.
        players: by side 0..3, where the journal does not name them.
        unnamed: who sits at a seat without a name is ranked with the others, and has no result.

    Raises:
        StandingsError: a seat without a name (unless ``unnamed``), or a name where nobody plays
            (three players).
    """
    named = list(players or record.names)
    ruleset = record.ruleset
    three = ruleset.equipment.players == 3
    seats = [seat for seat in range(4) if named[seat] or not three]

    for seat in seats:
        if not named[seat] and not unnamed:
            raise StandingsError(f"{session}: nobody is named at seat {seat}")
    if three:
        _check_empty(record, session, seats)
    scores = scores_of(record)
    scores = {seat: scores[seat] for seat in seats}
    if ruleset.family == "riichi":
        return _riichi(record, session, named, scores)
    order = sorted(scores.values(), reverse=True)
    results: list[Result] = []
    for seat in seats:
        if not named[seat]:
            continue
        rank = order.index(scores[seat])
        level = [other for other in seats if scores[other] == scores[seat]]
        shared = [_points(ruleset, rank + n) for n in range(len(level))]
        standard = Fraction(sum(shared), len(shared))
        best, main = _best(record, seat)
        results.append(Result(named[seat], session, scores[seat], rank + 1, standard, best, main))
    return results


def _check_empty(record: SessionRecord, session: str, seats: Sequence[int]) -> None:
    """Three players leave a side empty; which one, their walls tell."""
    playing = {row["seat"] for row in record.match.rows}
    strange = [seat for seat in seats if playing and seat not in playing]
    if strange:
        raise StandingsError(f"{session}: somebody is named at seat {strange[0]}, which is empty")
    if len(seats) > record.ruleset.equipment.players:
        raise StandingsError(f"{session}: four are named, and three play")


def _riichi(
    record: SessionRecord, session: str, named: Sequence[str], scores: dict[int, int]
) -> list[Result]:
    """Adjusted points: as the match stands by the rules, else of the scores (8.1.1, 8.8)."""
    rules = rules_of(record.ruleset)
    by_rules = {row["seat"]: row for row in record.match.rows}
    first = [(record.east + turn) % 4 for turn in range(4)]
    order = sorted(scores, key=lambda seat: (-scores[seat], first.index(seat)))
    results: list[Result] = []
    for seat, score in scores.items():
        if not named[seat]:
            continue
        rank = by_rules[seat]["rank"] if by_rules else order.index(seat) + 1
        points = by_rules[seat]["points"] if by_rules else score
        adjusted = Fraction(points - rules.return_points, 1000) + rules.placement[rank - 1]
        best, main = _best(record, seat)
        results.append(Result(named[seat], session, points, rank, adjusted, best, main))
    return results


def scores_of(record: SessionRecord) -> dict[int, int]:
    """What each player has at the end, by the side where the player began.

    Where an event lets the players change seats between rounds, what a side won or lost belongs to
    whoever sat there then. A session that is over counts with what was entered after its last hand.
    """
    scheme = record.ruleset.session.seat_change
    hands, match = record.hands, record.match
    round_ = (match.hand - 1) // 4
    late = [match.late[side_of(scheme, round_, seat, record.east)] for seat in range(4)]
    if not hands:
        return dict(enumerate(late))
    if scheme == "none":
        return {seat: hands[-1].scores[seat] + late[seat] for seat in range(4)}
    first = hands[0]
    start = [first.scores[seat] - first.payments[seat] - first.penalties[seat] for seat in range(4)]
    won = totals(hands, scheme, record.east)
    return {seat: start[seat] + won[seat] + late[seat] for seat in range(4)}


def _points(ruleset: Ruleset, rank: int) -> int:
    points = ruleset.tournament.standard_points
    return points[rank] if rank < len(points) else 0


def _best(record: SessionRecord, began: int) -> tuple[int, int]:
    """The best hand, and its main fan, of the player who began at this side."""
    scheme = record.ruleset.session.seat_change
    best, main = 0, 0
    for hand in record.hands:
        side = side_of(scheme, (hand.hand - 1) // 4, began, record.east)
        for win in hand.wins:
            total = win.score.get("total") or win.score.get("han") or 0
            if win.winner == side and total > best:
                best = total
                main = max((fan["value"] for fan in win.score.get("fans", ())), default=0)
    return best, main


def standings(ruleset: Ruleset, results: Iterable[Result]) -> list[Line]:
    """All players in order, with their places; players level after all comparisons share one.

    Raises:
        StandingsError: a tie-break of the ruleset that is not known here.
    """
    lines: dict[str, Line] = {}
    for result in results:
        lines.setdefault(result.player, Line(result.player)).results.append(result)
    keys: list[Key] = [_COMPARE["standard points"]]
    for word in ruleset.tournament.tie_breaks:
        if word not in _COMPARE:
            raise StandingsError(f"{ruleset.name}: tie-break {word!r} is not known")
        keys.append(_COMPARE[word])
    ordered = sorted(lines.values(), key=lambda line: line.player)
    ordered.sort(key=lambda line: [key(line) for key in keys], reverse=True)
    for number, line in enumerate(ordered):
        before = ordered[number - 1] if number else None
        level = before is not None and [k(before) for k in keys] == [k(line) for k in keys]
        line.place = before.place if before is not None and level else number + 1
    return ordered


def standings_csv(lines: Iterable[Line]) -> str:
    """The standings: place, player, standard points, score, then rank and score of each session."""
    listed = list(lines)
    sessions = list(dict.fromkeys(r.session for line in listed for r in line.results))
    out = io.StringIO()
    writer = csv.writer(out)
    head = ["place", "player", "standard_points", "score"]
    named = [plain(f"{s} {what}") for s in sessions for what in ("rank", "score")]
    writer.writerow([*head, *named])
    for line in listed:
        by = {result.session: result for result in line.results}
        cells: list[str | int] = []
        for session in sessions:
            result = by.get(session)
            cells += ["", ""] if result is None else [result.rank, result.score]
        standard = f"{float(line.standard):g}"
        writer.writerow([line.place, plain(line.player), standard, line.score, *cells])
    return out.getvalue()
