"""Whole hands with two infractions that once were followed wrong, past the ideal eye."""

from __future__ import annotations

import pytest

from tests.table_controller.happenings.games import known_truth, named, outcome


@pytest.mark.parametrize(
    ("ruleset", "seed", "ids"),
    [
        pytest.param(
            "mcr-1998",
            820011,
            ("dice-left", "wrong-break"),
            id="what two readings of the break hold alike is raised once",
        ),
        pytest.param(
            "mcr-2006-du",
            812016,
            ("claim-after-draw", "invalid-meld"),
            id="a fourth tile added to three of which one is wrong",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            811013,
            ("ura-dora-peeked", "wall-tile-exposed"),
            id="an indicator laid aside lies by the hand that looks below it, never in full sight",
        ),
        pytest.param(
            "mcr-2002-tianjin",
            814014,
            ("short-hand", "wrong-draw"),
            id="one look that errs inwards is no hand that comes down to put a tile back",
        ),
        pytest.param(
            "mcr-2002-tianjin",
            824001,
            ("claimed-tile-left", "wrong-draw"),
            id="who stops beside a stack that lies bare in plain sight looks at its tile",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma",
            823005,
            ("draw-out-of-turn", "win-furiten"),
            id="who looked at a tile at the row is followed along it, to where that is put",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing",
            815014,
            ("draw-out-of-turn", "riichi-changed-hand"),
            id="who looks at a tile of the own wall does so just before the own row",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            811014,
            ("draw-out-of-turn", "riichi-changed-hand"),
            id="who has looked at a tile on the way stops before the row to keep it",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma",
            813002,
            ("riichi-illegal", "wall-tile-exposed"),
            id="who turns an exposed tile back and draws the one beside it had no hold of that one",
        ),
        pytest.param(
            "mcr-2006-du",
            792015,
            ("die-invalid", "win-wrong-tile"),
            id="fingers that still come, and go again, rest on no tile",
        ),
        pytest.param(
            "mcr-2006-du",
            772005,
            ("extra-draw", "fifth-tile"),
            id="the stack inside the dealer's jump is empty before his row is counted",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            761009,
            ("discard-misplaced", "pool-disturbed"),
            id="who pushes the own pool with the tile just laid has not laid it out of its place",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay",
            706013,
            ("kong-after-claim", "pool-disturbed"),
            id="a tile just laid is none of those pushed with it, as far as beside the next pool",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay",
            706000,
            ("draw-out-of-turn", "wrong-draw"),
            id="who looks at a drawn tile at the wall's end of the row, and goes along it then",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma",
            703010,
            ("invalid-meld", "wall-break"),
            id="a grab of the deal that no hand was seen at is that of the row it is missing in",
        ),
        pytest.param(
            "mcr-2006-du",
            702013,
            ("foreign-tile", "premature-draw"),
            id="who touched a tile too early, went away and drew it then did not lift it before",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            711003,
            ("chow-not-from-left", "false-win"),
            id="the far tile of the dealer's jump seemed to be taken by the next hand",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing",
            715017,
            ("dead-wall-tile-exposed", "wall-tile-exposed"),
            id="who turns a wall tile over does not touch the one beside it first",
        ),
        pytest.param(
            "mcr-2006-du",
            712008,
            ("chow-not-from-left", "wrong-draw"),
            id="who lifts a tile has not touched the one beside it",
        ),
        pytest.param(
            "mcr-2002-tianjin",
            724000,
            ("discard-misplaced", "meld-misplaced"),
            id="a hand that rests just before its row and discards then lifted nothing",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay",
            726000,
            ("kong-after-claim", "wrong-draw"),
            id="a hand that holds a tile just before its row is not at home",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma",
            733005,
            ("fifth-tile", "pool-disturbed"),
            id="a discard pushed with its pool by the hand that laid it was laid in its place",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            711016,
            ("discard-misplaced", "discard-missing"),
            id="a second discard of a kind beside the first, which one look misses, did not slide",
        ),
        pytest.param(
            "mcr-2006-du",
            742002,
            ("wall-crooked", "wrong-deal"),
            id="what lies beside a wall that came up crooked is no set",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            711011,
            ("dead-wall-draw", "invalid-meld"),
            id="fingers that one look sees far off have not left the tile they lift",
        ),
        pytest.param(
            "mcr-2002-tianjin",
            724011,
            ("dice-left", "wrong-draw"),
            id="fingers are not on a stack that is seen as it lies all the time",
        ),
        pytest.param(
            "mcr-2006-du",
            712009,
            ("false-win", "wrong-thrower"),
            id="a hand that is ready by chance would have been laid open on a wrong tile",
        ),
        pytest.param(
            "mcr-1998",
            850005,
            ("wall-crooked", "wrong-draw"),
            id="an arm that lies across a pool hides nothing of which tile is the next",
        ),
        pytest.param(
            "mcr-2002-tianjin",
            854002,
            ("extra-draw", "short-hand"),
            id="a hand that turned round just before its row between two draws lingered at none",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing",
            855000,
            ("winning-tile-merged", "wrong-draw"),
            id="who looks at a drawn tile over the own wall touches none there",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            851001,
            ("premature-draw", "win-below-minimum"),
            id="who touched a tile too early and went home has let go of it",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            821010,
            ("premature-draw", "wrong-replacement"),
            id="a tile seen put back is back though the hand that takes it again hides it at once",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay",
            839001,
            ("draw-out-of-turn", "riichi-noten"),
            id="of two stacks that fingers are right between the one longer not found was lifted",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay",
            840001,
            ("dead-wall-draw", "fifth-tile"),
            id="who puts a tile of the dead wall back had touched and seen it before",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing",
            840000,
            ("riichi-changed-hand", "win-wrong-tile"),
            id="a drawn tile that stood in free sight and beside the sleeve was not discarded",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma",
            874001,
            ("invalid-meld", "riichi-changed-hand"),
            id="nor was one seen again, if in part, when another lay in the pool",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing",
            865013,
            ("extra-draw", "wrong-deal"),
            id="who puts a wrong grab back and stops close by takes the right tiles there",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            861014,
            ("premature-draw", "win-furiten"),
            id="who stops three tiles before the end of the row looks at the drawn tile there",
        ),
        pytest.param(
            "mcr-2002-tianjin",
            875009,
            ("hand-shown-early", "premature-draw"),
            id="a sliver of a tile between fingers speaks against nothing that was seen before",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing",
            876001,
            ("extra-draw", "kong-after-claim"),
            id="of tiles turned up under one hand each was turned when the hand was nearest to it",
        ),
        pytest.param(
            "mcr-2006-du",
            873043,
            ("wrong-deal",),
            id="a stack seen askew just before it was put back was lifted with its neighbour",
        ),
        pytest.param(
            "riichi-xjtu-2025-sanma",
            873003,
            ("premature-draw",),
            id="fingers that single looks see beside a tile rest on it if they do on average",
        ),
        pytest.param(
            "mcr-2002-tianjin",
            873016,
            ("wrong-draw",),
            id="an arm along the wall ends before the tile that lies in plain sight under its tip",
        ),
        pytest.param(
            "riichi-xjtu-2025-qixing",
            873021,
            ("draw-out-of-turn",),
            id="who goes no farther in two looks has stopped to look at the drawn tile",
        ),
        pytest.param(
            "riichi-xjtu-2025-relay",
            875206,
            ("wrong-draw",),
            id="a hand that holds a lifted tile does not touch the one beside it",
        ),
        pytest.param(
            "mcr-2006-du",
            875221,
            ("wrong-draw",),
            id="of two stacks almost as near the one not found for much longer was lifted",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            902004,
            ("claim-after-draw", "die-invalid"),
            id="who passed over a stack before its back was last seen did not turn its tile up",
        ),
        pytest.param(
            "riichi-xjtu-2025",
            902005,
            ("dead-wall-draw", "premature-draw"),
            id="a tile that lies on the wall again under the hand is back though it is taken again",
        ),
        pytest.param(
            "mcr-2006-du",
            903012,
            ("claim-after-draw", "own-tile-exposed"),
            id="a face that many looks read lies there although an arm's edge is over it",
        ),
    ],
)
def test_nothing_is_missed_and_nothing_invented(
    ruleset: str, seed: int, ids: tuple[str, ...]
) -> None:
    assert outcome(named(f"{ruleset}:{seed}:{','.join(ids)}")).faults == ()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            "mcr-2002-tianjin:814015:win-below-minimum,wrong-replacement",
            id="who is barred declares no hand of too few points: that is a win while barred",
        ),
        pytest.param(
            "mcr-2002-tianjin:814018:concealed-kong-hidden,draw-out-of-turn",
            id="who took a tile out of turn claims nothing any more",
        ),
        pytest.param(
            "mcr-1998:820011:dice-left,wrong-break",
            id="dice that stay and a wrong break are two infractions of one moment",
        ),
        pytest.param(
            "mcr-1998:921066:claim-out-of-priority,hand-shown-early",
            id="who cannot chow presses no button for it",
        ),
        pytest.param(
            "mcr-2002-tianjin:905037:claim-late,discard-missing",
            id="who plays along chows nothing, however late the pung is called",
        ),
    ],
)
def test_the_rules_say_to_the_truth_what_the_virtual_table_says(name: str) -> None:
    assert known_truth(named(name)).faults == ()
