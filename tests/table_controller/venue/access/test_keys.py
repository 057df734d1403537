"""Keys, credentials and what they may: who belongs to which venue and table."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from table_controller.venue.access.bus import load_credentials
from table_controller.venue.access.keyring import Keyring, table_permissions
from table_controller.venue.access.nkeys import Key, claims_of
from table_controller.venue.errors import VenueError
from table_controller.venue.names import PARTITIONS, Subjects, chain_of, partition_of, table_of


@given(st.binary(min_size=32, max_size=32), st.sampled_from(["operator", "account", "user"]))
def test_a_key_comes_back_from_its_text(secret: bytes, kind: str) -> None:
    key = Key(kind, secret)
    assert Key.of_seed(key.seed) == key
    assert key.public[0] == {"operator": "O", "account": "A", "user": "U"}[kind]
    assert key.seed[:2] == "S" + key.public[0]


def test_the_text_forms_are_those_of_nats() -> None:
    # A pair made with NATS' own tool `nk -gen user -pubout` for the secret 0..31.
    key = Key("user", bytes(range(32)))
    public = Ed25519PrivateKey.from_private_bytes(key.secret).public_key()
    public.verify(key.sign(b"nonce"), b"nonce")
    assert len(key.public) == 56
    assert len(key.seed) == 58


@pytest.mark.parametrize("seed", ["", "SUAB", "X" * 58, Key("user", bytes(32)).seed[:-1] + "9"])
def test_a_seed_that_was_copied_badly_is_refused(seed: str) -> None:
    with pytest.raises(VenueError, match="seed"):
        Key.of_seed(seed)


def test_a_token_says_what_was_signed() -> None:
    account, user = Key.new("account"), Key.new("user")
    claims = claims_of(account.token(user.public, "T01", {"type": "user"}))
    assert claims["sub"] == user.public
    assert claims["iss"] == account.public
    assert claims["nats"] == {"type": "user", "version": 2}


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    made = Keyring.make(tmp_path / "keys", "spring-open")
    made.add_table("T01")
    made.add_table("T02")
    return made


def creds(ring: Keyring, table: str) -> Path:
    return ring.folder / "tables" / table / f"{table}.creds"


def test_a_key_is_for_its_own_venue_and_table(ring: Keyring) -> None:
    assert load_credentials(creds(ring, "T01"), "spring-open", "T01").tags["table"] == "T01"
    for venue, table, said in (
        ("autumn-open", "T01", "made for venue 'spring-open', not 'autumn-open'"),
        ("spring-open", "T02", "made for table 'T01', not table 'T02'"),
        ("spring-open", None, "made for table 'T01', not a hub"),
    ):
        with pytest.raises(VenueError, match=said):
            load_credentials(creds(ring, "T01"), venue, table)


def test_wrong_files_are_named_in_one_line(ring: Keyring, tmp_path: Path) -> None:
    bad = tmp_path / "bad.creds"
    for text in ("", "nothing", "one\ntwo\n", creds(ring, "T01").read_text()[:200]):
        bad.write_text(text)
        with pytest.raises(VenueError) as error:
            load_credentials(bad, "spring-open", "T01")
        assert str(bad) in str(error.value)
        assert "\n" not in str(error.value)
    # Somebody else's seed under this token.
    mixed = creds(ring, "T01").read_text().splitlines()
    mixed[5] = creds(ring, "T02").read_text().splitlines()[5]
    bad.write_text("\n".join(mixed))
    with pytest.raises(VenueError, match="not the one the token is about"):
        load_credentials(bad, "spring-open", "T01")


def test_a_name_is_given_once(ring: Keyring) -> None:
    before = (ring.folder / "register.json").read_bytes()
    for taken in ("T01", "t01"):
        with pytest.raises(VenueError, match="there is a table T01 already; nothing was changed"):
            ring.add_table(taken)
    for odd in ("", "T 1", "T.1", "T*", "x" * 25, "-a"):
        with pytest.raises(VenueError, match="table name"):
            ring.add_table(odd)
    with pytest.raises(VenueError, match="nothing was changed"):
        Keyring.make(ring.folder, "spring-open")
    assert (ring.folder / "register.json").read_bytes() == before


def test_a_revoked_key_stays_revoked(ring: Keyring) -> None:
    old = ring.tables["T01"]
    ring.renew_table("T01")
    again = Keyring.open(ring.folder)
    assert old in again.revoked
    assert again.tables["T01"] != old
    assert old in claims_of(again.account_token())["nats"]["revocations"]
    with pytest.raises(VenueError, match="no table T09"):
        ring.revoke("T09")


def test_secrets_are_readable_by_their_owner_alone(ring: Keyring) -> None:
    for path in [*ring.folder.glob("keys/*"), *ring.folder.rglob("*.creds"),
                 *ring.folder.rglob("*.key")]:  # fmt: skip
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_table_may_write_nothing_of_another_table() -> None:
    def may(allowed: list[str], subject: str) -> bool:
        return any(matches(pattern, subject) for pattern in allowed)

    subjects = Subjects("spring-open")
    permissions = table_permissions("spring-open", "T01")
    write, read = permissions["pub"]["allow"], permissions["sub"]["allow"]
    for own in (
        subjects.journal("T01", "0011223344556677"),
        subjects.status("T01"),
        subjects.request("T01", "time"),
        "$O.ev-T01.C.abc",
    ):
        assert may(write, own), own
    for foreign in (
        subjects.journal("T02", "0011223344556677"),
        subjects.status("T02"),
        subjects.request("T02", "orders"),
        subjects.orders("T01"),
        subjects.orders("T02"),
        "$O.ev-T02.C.abc",
        "$JS.API.STREAM.PURGE.JOURNAL",
        "$JS.API.STREAM.DELETE.JOURNAL",
        "$JS.API.STREAM.MSG.GET.JOURNAL",
        "$JS.API.CONSUMER.CREATE.JOURNAL",
        "$JS.API.CONSUMER.DURABLE.CREATE.JOURNAL.hub-1",
        "$JS.API.CONSUMER.CREATE.OBJ_models",
        "$SYS.REQ.CLAIMS.UPDATE",
        f"$JS.API.DIRECT.GET.JOURNAL.{subjects.journal('T02', 'x')}",
        "_INBOX_hub.abc",
    ):
        assert not may(write, foreign), foreign
    assert may(read, subjects.orders("T01"))
    assert not may(read, subjects.orders("T02"))
    assert not may(read, subjects.journal("T01", "x"))
    assert not may(read, "_INBOX_T02.abc")


def matches(pattern: str, subject: str) -> bool:
    """NATS' own matching of subjects."""
    wanted, there = pattern.split("."), subject.split(".")
    for at, token in enumerate(wanted):
        if token == ">":
            return len(there) > at
        if at >= len(there) or token not in ("*", there[at]):
            return False
    return len(wanted) == len(there)


def test_subjects_come_apart_again() -> None:
    subjects = Subjects("v")
    assert table_of(subjects.journal("T7", "c")) == "T7"
    assert chain_of(subjects.journal("T7", "c")) == "c"
    assert table_of(subjects.status("T7")) == "T7"
    assert table_of(subjects.request("T7", "time")) == "T7"
    shares = {partition_of(f"T{number:03}") for number in range(200)}
    assert shares == set(range(PARTITIONS))
