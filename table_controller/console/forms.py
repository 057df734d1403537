"""What the page and other programs send to the console, checked field by field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

SeatNumber = Annotated[int, Field(ge=0, le=3)]
Face = Annotated[str, Field(pattern=r"^([0-9][mps]|[1-7]z|[1-8]f)$")]
"""A known face in the contract's notation."""
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S")]
Points = Annotated[int, Field(ge=0, le=1_000_000)]


class Signed(BaseModel):
    """Every change is signed.

    Attributes:
        by: who decides.
        reason: why, in that person's words.
        request: made up by the sender; the same request sent twice (a network that dropped in
            the middle) is taken once.
    """

    model_config = ConfigDict(extra="forbid")

    by: Name
    reason: Annotated[str, Field(max_length=500)] = ""
    request: Annotated[str, Field(min_length=8, max_length=64)] | None = None


class RulingForm(BaseModel):
    """What the referee orders instead of, or without, a proposed ruling.

    Attributes:
        points: what the seat at fault loses in all.
        pay: who receives them: nobody (a deduction), each opponent alike, or as proposed; other
            points than the proposed ones are divided in the same proportion.
        shares: of an offence that is entered, the proposal: what each seat gets (a limit hand).
        penalty_tile: a tile that must be discarded by order.
    """

    model_config = ConfigDict(extra="forbid")

    points: Points = 0
    pay: Literal["proposed", "nobody", "each"] = "proposed"
    shares: tuple[Points, Points, Points, Points] | None = None
    stop_win: bool = False
    play_along: bool = False
    warning: bool = False
    penalty_tile: Face | None = None
    remedy: Annotated[str, Field(max_length=300)] | None = None

    @model_serializer(mode="wrap")
    def _without_what_is_not_said(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without empty shares: a table with an older program refuses what it does not know."""
        said: dict[str, Any] = plain(self)
        if self.shares is None:
            said.pop("shares", None)
        return said


class Decision(Signed):
    """What a referee decides about an alert.

    Attributes:
        ruling: with ``change``: what is ordered instead of the proposal.
        seen: number of the decision the page showed when the button was pressed (0: none yet);
            a second tablet that decided in between makes this one void instead of doubling it.
    """

    action: Literal["accept", "change", "dismiss", "undo"]
    ruling: RulingForm | None = None
    seen: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Ordered(Signed):
    """A change of what happened.

    Attributes:
        seen: number of the newest order that the page knew; a newer one makes this one void.
        insist: enter it although the rules then say something new.
    """

    seen: Annotated[int, Field(ge=0, le=2**53)] | None = None
    insist: bool = False


class CorrectionForm(Ordered):
    """The happening at a position was another one, or none at all (``happening`` null)."""

    at: Annotated[int, Field(ge=0, le=2**53)]
    happening: dict[str, Any] | None


class InsertionForm(Ordered):
    """Something happened before the happening at a position that nobody reported."""

    at: Annotated[int, Field(ge=0, le=2**53)]
    happening: dict[str, Any]


class TileForm(Ordered):
    """One tile of a captured hand was another one.

    Attributes:
        part: where it lies; ``index`` counts in it from 0, ``meld`` names the set.
        was: the face that the page showed there.
        tile: what it is.
    """

    part: Literal["standing", "win", "meld", "flower"]
    index: Annotated[int, Field(ge=0, le=17)] = 0
    meld: Annotated[int, Field(ge=0, le=3)] = 0
    win: Annotated[int, Field(ge=0, le=2)] = 0
    was: Annotated[str, Field(max_length=4)]
    tile: Face


class OffenceForm(Ordered):
    """Something that no camera can see: speech, lateness, conduct."""

    id: Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*$", max_length=40)] = "other"
    seat: SeatNumber
    about: Annotated[str, Field(min_length=1, max_length=200)]
    ruling: RulingForm


class ConfirmForm(Ordered):
    """The captured hand is right: the hand is over.

    Attributes:
        steps: the steps of the check that were gone through before the referee's decision: the
            winner has said the points (自报), the others had nothing against them (公议).
    """

    steps: tuple[Literal["declared", "agreed"], ...] = ()


class ProtestForm(Signed):
    """Somebody does not accept a decision or a hand's result.

    Attributes:
        about: key of the alert or of the hand.
        seat: who protests; None: not a player of the table.
    """

    about: Annotated[str, Field(pattern=r"^(alert|hand)-[0-9]{1,6}$")]
    seat: SeatNumber | None = None


class LiftForm(Signed):
    """A protest was withdrawn or decided."""


class AnswerForm(Signed):
    """The referee comes to a seat that called."""


class ConsentForm(Signed):
    """What the table's referee says to an order of the hall that waits for the hand to end.

    Attributes:
        yes: whether it may happen at once; otherwise it is refused.
    """

    yes: bool


class MachineForm(Signed):
    """An order to the machine.

    Attributes:
        action: the next wall (also over a protest), nothing may move, or it may again, or the
            machine's fault, whose cause is gone, is over.
    """

    action: Literal["next_wall", "hold", "release", "clear_fault"]


class UndoForm(Signed):
    """A correction, entry or confirmation is taken back."""


class SignInForm(BaseModel):
    """Who wants in."""

    model_config = ConfigDict(extra="forbid")

    token: Annotated[str, Field(min_length=1, max_length=200)]
    name: Annotated[str, Field(max_length=80)] = ""
