"""What looks like an infraction and is allowed."""

from __future__ import annotations

from table_controller.domain.happenings import (
    Call,
    HandClosed,
    HandCounted,
    HandShown,
    MeldExtended,
    MeldShown,
    Place,
    PoolDisturbed,
    Slot,
    TileClaimed,
    TileDiscarded,
    TileExposed,
    TileRetracted,
    TileReturned,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.game.scenes import READY, Scene, tiles, won
from tests.table_controller.game.told.cases import Allowed
from tests.table_controller.game.told.claims import pung_over_the_chow

TOLD = Allowed()


@TOLD.case()
def an_ordinary_hand() -> Scene:
    return Scene().start().play().rounds(12)


@TOLD.case()
def flowers_replaced_in_order() -> Scene:
    scene = Scene().start().flower(0, "1f").flower(0, "2f").flower(1, "3f").flower(3, "5f")
    return scene.play().rounds(4)


@TOLD.case()
def a_flower_discarded_from_the_hand() -> Scene:
    """003 Q17; 000 Q33."""
    return Scene().start().play("6f").rounds(4)


@TOLD.case()
def a_flower_kept_and_replaced_later() -> Scene:
    """003 Q4, Q16."""
    scene = Scene().start().play().rounds(4).draw().flower(1, "4f")
    return scene.play().rounds(3)


@TOLD.case()
def touched_lifted_and_taken_in_turn() -> Scene:
    scene = Scene().start().play().reach(1, "touched").reach(1, "lifted")
    return scene.draw().play().rounds(3)


@TOLD.case("mcr-2002-tianjin")
def one_change_of_mind_before_the_tile_lies() -> Scene:
    """003 Q23."""
    scene = Scene().start()
    scene.say(TileRetracted, seat=0, tile=Tile("?"))
    return scene.play().rounds(3)


@TOLD.case()
def eaten_and_the_same_tile_discarded() -> Scene:
    """000 Q38(3)."""
    scene = Scene().start().play("5p").call_set(1, "46p")
    return scene.play("5p").rounds(3)


@TOLD.case()
def a_pung_over_a_chow_within_three_seconds() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(Call, 0.8, seat=1, call="chow")
    scene.say(Call, 1.0, seat=2, call="pung")
    return scene.call_set(2, "33p").play().rounds(3)


@TOLD.case()
def a_pung_takes_the_tile_from_a_chow_that_lies_there() -> Scene:
    """000 Q40; 003 Q7: within three seconds; no button tells of it."""
    return pung_over_the_chow(Scene().start().play("5p").call_set(1, "46p", wait=0.4))


@TOLD.case()
def a_pung_takes_the_tile_for_which_two_others_are_shown() -> Scene:
    scene = Scene().start().play("5p")
    scene.say(MeldShown, 0.8, seat=1, tiles=tiles("46p"))
    return pung_over_the_chow(scene)


@TOLD.case()
def the_pung_is_laid_and_nobody_saw_it_fetched_from_the_chow() -> Scene:
    scene = pung_over_the_chow(Scene().start().play("5p").call_set(1, "46p", wait=0.4))
    scene.said = [h for h in scene.said if not (isinstance(h, TileClaimed) and h.seat == 2)]
    return scene


@TOLD.case()
def two_tiles_are_shown_and_then_the_discard_is_fetched() -> Scene:
    """003 Q7: a chow is called, and its tiles are shown, before the discard is taken."""
    scene = Scene().start().play("5p")
    scene.say(MeldShown, 0.8, seat=1, tiles=tiles("46p"))
    scene.say(TileClaimed, 0.8, seat=1, tile=Tile("5p"), from_=0)
    scene.turn = 1
    return scene.play().rounds(3)


@TOLD.case()
def a_pung_after_a_draw_that_came_too_quickly() -> Scene:
    """003 Q18: who draws at once has to give way to a pung that was called before."""
    scene = Scene().start().play("3p")
    scene.say(Call, 0.6, seat=2, call="pung")
    scene.draw(wait=0.6)
    drawn = scene.drawn().slots
    scene.wall.put(scene.wall.index(drawn[0]))  # type: ignore[arg-type]
    scene.say(TileReturned, 1.0, seat=1, slots=drawn)
    return scene.call_set(2, "33p").play().rounds(3)


@TOLD.case()
def a_winning_tile_passed_and_taken_from_the_next_player() -> Scene:
    """003 Q29; 000 Q39(3)."""
    scene = Scene().start().play("3s").draw().play("3s")
    return won(scene, 3, READY, None)


@TOLD.case()
def robbing_an_added_kong() -> Scene:
    scene = Scene().start().play("3s").call_set(2, "33s").play().rounds(3)
    scene.draw().added_kong(2, "3s")
    return won(scene, 0, READY, None)


@TOLD.case()
def a_win_on_a_discard_somebody_calls_kong_on() -> Scene:
    """003 Q33: the win comes first; it is no robbed kong."""
    scene = Scene().start().play("3s")
    scene.say(Call, 0.5, seat=1, call="kong")
    return won(scene, 2, READY, None)


@TOLD.case()
def a_fetched_discard_wins() -> Scene:
    scene = Scene().start().play("6s")
    scene.say(TileClaimed, 1.0, seat=3, tile=Tile("6s"), from_=0)
    return won(scene, 3, READY, "6s")


@TOLD.case()
def two_declare_on_one_tile_the_nearer_wins() -> Scene:
    scene = Scene().start().play("3s")
    won(scene, 3, READY, None, close=False)
    scene.say(HandShown, 0.8, seat=1, tiles=tiles("123456789m 99p 45s"))
    scene.say(HandClosed, 3.0, seat=1)
    return scene


@TOLD.case()
def the_nearer_one_who_called_shows_his_hand_after_the_other() -> Scene:
    """000 Q43(6); 003 Q95."""
    scene = Scene().start().play("3s")
    scene.say(Call, 0.5, seat=1, call="win")
    won(scene, 3, READY, None, close=False)
    scene.say(HandShown, 0.8, seat=1, tiles=tiles("123456789m 99p 45s"))
    scene.say(HandClosed, 3.0, seat=1)
    return scene


@TOLD.case()
def the_dealer_wins_with_fourteen_tiles() -> Scene:
    """003 Q43."""
    scene = Scene().start()
    return won(scene, 0, READY, "6s")


@TOLD.case()
def an_exposed_kong_and_its_replacement() -> Scene:
    scene = Scene().start().play("3p").call_set(3, "333p")
    scene.take(3, scene.back())
    return scene.play().rounds(3)


@TOLD.case()
def pool_tiles_moved_to_count_points_during_the_check() -> Scene:
    """000 Q43; 003 Q25."""
    scene = Scene().start().play("3s")
    won(scene, 2, READY, None, close=False)
    scene.say(PoolDisturbed, seat=2, by=2, recoverable=True)
    scene.say(TileExposed, where="wall", seat=1, tile=Tile("7s"), by=1, slot=Slot(1, 4, "top"))
    scene.say(HandClosed, 3.0, seat=2)
    return scene


@TOLD.case()
def a_claimed_kong_laid_tile_by_tile() -> Scene:
    """Three tiles are reported first, the fourth with a time a little before them."""
    scene = Scene().start().play("3p").call_set(2, "33p", sideways=1)
    scene.said.append(MeldExtended(t=scene.t - 0.2, seat=2, tile=Tile("3p")))
    scene.take(2, scene.back())
    return scene.play().rounds(3)


@TOLD.case()
def an_unread_fourth_tile_joins_the_pung_of_which_one_is_to_be_seen() -> Scene:
    """It was taken for the fifth of the other one, whose fourth lay in a pool (1835008)."""
    scene = Scene().start().play("3p").call_set(2, "33p").play("9s")
    scene.draw().play("3p").draw().play("9p").call_set(2, "99p").play("9s")
    scene.rounds(3).draw()
    scene.say(MeldExtended, 0.5, seat=2, tile=Tile.UNKNOWN)
    scene.take(2, scene.back())
    return scene.play().rounds(3)


@TOLD.case()
def times_a_little_off() -> Scene:
    scene = Scene().start().play(wait=2.0)
    at = scene.t
    scene.take(1, scene.front(), 0.0)
    from dataclasses import replace

    scene.said[-1] = replace(scene.said[-1], t=at - 0.1)
    return scene.play().rounds(3)


@TOLD.case()
def hands_counted_as_they_should_be() -> Scene:
    scene = Scene().start().play()
    scene.say(HandCounted, 0.2, seat=0, count=13)
    scene.draw()
    scene.say(HandCounted, 0.2, seat=1, count=14)
    return scene.play().rounds(2)


def given_back(scene: Scene, seat: int) -> Scene:
    """A seat has taken the last discard and lays it back where it lay."""
    discarder, tile = scene.last
    scene.say(TileClaimed, seat=seat, tile=tile, from_=discarder)
    at = scene.pools[discarder] - 1
    place = Place(at // 6, at % 6)
    scene.say(TileDiscarded, seat=discarder, tile=tile, place=place)
    return scene


@TOLD.case()
def a_tile_taken_for_a_chow_and_given_back_to_who_pungs_it() -> Scene:
    scene = given_back(Scene().start().play("3p"), 1)
    return scene.call_set(2, "33p").play().rounds(3)


@TOLD.case()
def a_tile_that_was_taken_and_given_back_before_the_next_draw() -> Scene:
    return given_back(Scene().start().play("3p"), 1).rounds(3)


@TOLD.case()
def a_tile_that_was_given_back_beside_its_place() -> Scene:
    scene = Scene().start().play("3p")
    scene.say(TileClaimed, seat=1, tile=Tile("3p"), from_=0)
    scene.say(TileDiscarded, seat=0, tile=Tile("3p"), place=None)
    return scene.rounds(3)
