"""What the results of measured games amount to: shares with their intervals, by ruleset and id."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

_Z: Final = 1.96
"""Of a 95 % interval."""


def interval(hits: int, of: int) -> tuple[float, float]:
    """The Wilson score interval at 95 % of a share, both ends in 0..1.

    Source: Wilson 1927; behaves well near 0 and 1 and for few cases.
    """
    if of == 0:
        return 0.0, 1.0
    share, z2 = hits / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * (share * (1 - share) / of + z2 / (4 * of * of)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


def rows(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows for ``paiguan bench happenings``.

    Args:
        results: lines of :func:`.happenings.play`.
    """
    out: list[dict[str, Any]] = []
    for ruleset in sorted({line["ruleset"] for line in results}):
        here = [line for line in results if line["ruleset"] == ruleset]
        out += _moves(ruleset, here)
    if len({line["ruleset"] for line in results}) > 1:
        out += _moves("all rulesets", results)
    unread = sum(line.get("unread", 0) for line in results)
    note = "under a hand only who looks sees it; counted as seen"
    out.append(_row("hidden tiles looked at, face unknown", unread, "", limit=None, note=note))
    held = sum(line.get("held", 0) for line in results)
    note = "which tiles only their taker knows; all are told, and counted as seen"
    out.append(_row("grabs of which some tiles were looked at", held, "", limit=None, note=note))
    failed = sum(line.get("failed", 0) for line in results)
    note = "a fault of the program; told as not looked at"
    out.append(_row("looks that could not be followed", failed, "", limit=0, note=note))
    out += _delays(results)
    out += _legal(results)
    out += _disturbed(results)
    out += _wanted(results)
    out += _by_id(results)
    return out


def _wanted(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How many of the infractions that games were to have came about, and which ids never did.

    Results of before this was kept have nothing of it and are left out.
    """
    kept = [line for line in results if line.get("wanted")]
    out: list[dict[str, Any]] = []
    if kept:
        wanted = Counter(name for line in kept for name in line["wanted"])
        missing = Counter(name for line in kept for name in line["not_played"])
        of = wanted.total()
        row = _share("infractions that came about, of those wanted", of - missing.total(), of)
        out.append({**row, "note": f"{row['note']}, in {len(kept)} games"})
        never = sorted(name for name in wanted if missing[name] == wanted[name])
        note = ", ".join(never) or "every one came about"
        out.append(
            _row("infractions wanted that never came about", len(never), "", limit=None, note=note)
        )
    wishes = Counter(wish for line in results for wish in line.get("not_wished", ()))
    if wishes:
        note = ", ".join(f"{wish} ({count})" for wish, count in sorted(wishes.items()))
        out.append(_row("wishes that did not come true", wishes.total(), "", limit=None, note=note))
    return out


def _moves(label: str, results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    clean = sum(not line["missed"] and not line["invented"] for line in results)
    true, matched, invented = _sums(
        counts for line in results for counts in line["happenings"].values()
    )
    discards = [line["order"] for line in results]
    hands = [line["hands"] for line in results]
    exact, unknown, wrong = (sum(h[k] for h in hands) for k in ("exact", "unknown", "wrong"))
    finished = exact + unknown + wrong
    order, in_order = (sum(each[k] for each in discards) for k in (0, 1))
    shares = [
        ("games without a fault", clean, len(results), 97.0, True),
        ("happenings seen", matched, true, None, True),
        ("happenings true of those told", matched, matched + invented, None, True),
        ("discards right and in order", in_order, order, 99.8, True),
        ("hands captured exactly", exact, finished, 99.0, True),
        ("hands wrong", wrong, finished, 0.1, False),
    ]
    # Of nothing there is no share: a game may end before its first discard.
    return [
        _share(f"{label}: {what}", hits, of, limit, least=least)
        for what, hits, of, limit, least in shares
        if of
    ]


def _delays(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    alerts = [d for line in results for each in line["alerts"]["delays"].values() for d in each]
    discards = [d for line in results for d in line["discards"]]
    times = [abs(t) for line in results for t in line["times"]]
    return [
        *_time("alert after complete evidence, 95%", alerts, 1.0),
        *_time("discard told after its rest, 95%", discards, 0.7),
        *_time("time of a happening off by, 95%", times, 0.2),
    ]


def _legal(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for line in results:
        if not any(counts[0] for counts in line["alerts"]["ids"].values()):
            groups[line["group"]].append(line)
    out = []
    for group, lines in sorted(groups.items()):
        raised = sum(c[2] for line in lines for c in line["alerts"]["ids"].values())
        note = f"in {len(lines)} hands without an infraction"
        out.append(_row(f"{group}: false alerts", raised, "", limit=0, note=note))
    return out


def _disturbed(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Where something about the view was changed or went wrong: was it said, is it over?"""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for line in results:
        if line["group"] not in ("legal", "infractions"):
            groups[line["group"]].append(line)
    out = []
    for group, lines in sorted(groups.items()):
        true, matched, invented = _sums(c for line in lines for c in line["happenings"].values())
        out.append(_share(f"{group}: happenings seen", matched, true))
        out.append(_share(f"{group}: true of those told", matched, matched + invented))
        exact = sum(line["hands"]["exact"] for line in lines)
        hands = sum(sum(line["hands"].values()) for line in lines)
        out.append(_share(f"{group}: hands captured exactly", exact, hands))
        unsaid = sum(line.get("unsaid", 0) for line in lines)
        blind = sum(line.get("not_looked", 0.0) for line in lines)
        note = f"{blind:.1f} s told as not looked at"
        out.append(_row(f"{group}: missed without a word", unsaid, "", limit=0, note=note))
        after = [line["after"] for line in lines if "after" in line]
        if after:
            of, missed, told = (sum(each[k] for each in after) for k in range(3))
            out.append(_share(f"{group}: seen when it was over", of - missed, of))
            note = "invented when it was over"
            out.append(_row(f"{group}: not recovered", told, "", limit=0, note=note))
    return out


def _by_id(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    ids: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for line in results:
        for name, counts in line["alerts"]["ids"].items():
            ids[name] = [a + b for a, b in zip(ids[name], counts, strict=True)]
    out = []
    all_ = [sum(c[k] for c in ids.values()) for k in range(3)]
    for name, (true, raised, invented) in [("all alerts", all_), *sorted(ids.items())]:
        if true:
            out.append(_share(f"{name}: recall", raised, true, 98.0))
        if raised + invented:
            out.append(_share(f"{name}: precision", raised, raised + invented, 98.0))
    return out


def _sums(counts: Iterable[Sequence[int]]) -> tuple[int, int, int]:
    a = b = c = 0
    for true, matched, invented in counts:
        a, b, c = a + true, b + matched, c + invented
    return a, b, c


def _share(
    what: str, hits: int, of: int, limit: float | None = None, *, least: bool = True
) -> dict[str, Any]:
    low, high = interval(hits, of)
    note = f"{hits} of {of}, 95 % interval {100 * low:.1f} to {100 * high:.1f}"
    if limit is not None and least:
        note += ", at least the limit"
    return _row(what, 100 * hits / max(1, of), "%", limit=limit, note=note)


def _time(what: str, values: Sequence[float], limit: float) -> list[dict[str, Any]]:
    if len(values) < 2:
        return []
    cut = statistics.quantiles(values, n=20, method="inclusive")
    note = f"median {statistics.median(values):.2f}, {len(values)} cases"
    return [_row(what, cut[-1], "s", limit=limit, note=note)]


def _row(what: str, value: float, unit: str, *, limit: float | None, note: str) -> dict[str, Any]:
    return {"what": what, "value": value, "unit": unit, "limit": limit, "note": note}
