"""Keys and claims of the message bus: Ed25519 keys in NATS' text form, and JSON web tokens.

The servers trust an operator's key; the operator signs the venue's account; the account signs
each table's user with the subjects it may use. Nothing secret lies on a server, and a key is
revoked by one new signature of the account, which the servers hand to each other.

Forms: https://docs.nats.io (nkeys: prefix byte, key, CRC-16/XMODEM, base32; JWT version 2).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any, Final, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from table_controller.venue.errors import VenueError

_SEED: Final = 18 << 3
_KINDS: Final = {"operator": 14 << 3, "account": 0, "user": 20 << 3}


def _text(raw: bytes) -> str:
    crc = binascii.crc_hqx(raw, 0).to_bytes(2, "little")
    return base64.b32encode(raw + crc).decode().rstrip("=")


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Key:
    """One key pair.

    Attributes:
        kind: ``operator``, ``account`` or ``user``.
        secret: 32 bytes.
    """

    kind: str
    secret: bytes

    @classmethod
    def new(cls, kind: str) -> Self:
        """A fresh one."""
        return cls(kind, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def of_seed(cls, seed: str) -> Self:
        """Out of its text form (``SU…``, ``SA…``, ``SO…``).

        Raises:
            VenueError: it is no seed.
        """
        try:
            raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
        except (ValueError, binascii.Error):
            raw = b""
        if len(raw) != 36 or binascii.crc_hqx(raw[:-2], 0).to_bytes(2, "little") != raw[-2:]:
            raise VenueError("not a key seed, or one that was not copied whole")
        prefix = (raw[0] & 7) << 5 | raw[1] >> 3
        kind = next((name for name, value in _KINDS.items() if value == prefix), None)
        if kind is None or raw[0] & 0xF8 != _SEED:
            raise VenueError("not a key seed of an operator, account or user")
        return cls(kind, raw[2:34])

    @property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)

    @property
    def seed(self) -> str:
        """The secret in text form."""
        prefix = _KINDS[self.kind]
        return _text(bytes([_SEED | prefix >> 5, (prefix & 31) << 3]) + self.secret)

    @property
    def public(self) -> str:
        """The public key in text form."""
        raw = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return _text(bytes([_KINDS[self.kind]]) + raw)

    def sign(self, data: bytes) -> bytes:
        """A signature, 64 bytes."""
        return self._private.sign(data)

    def token(self, subject: str, name: str, nats: dict[str, Any]) -> str:
        """A signed statement about another key, or about this one.

        Args:
            subject: public key it is about.
            name: for people.
            nats: the claims; ``type`` and the rest.
        """
        claims: dict[str, Any] = {
            "iat": int(time.time()),
            "iss": self.public,
            "name": name,
            "sub": subject,
            "nats": {**nats, "version": 2},
        }
        digest = hashlib.new("sha512_256", json.dumps(claims, sort_keys=True).encode()).digest()
        claims["jti"] = base64.b32encode(digest).decode().rstrip("=")
        head = _b64(json.dumps({"typ": "JWT", "alg": "ed25519-nkey"}).encode())
        body = _b64(json.dumps(claims).encode())
        return f"{head}.{body}.{_b64(self.sign(f'{head}.{body}'.encode()))}"


def claims_of(token: str) -> dict[str, Any]:
    """What a token says; its signature is the servers' to check.

    Raises:
        VenueError: it is no token.
    """
    try:
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (ValueError, IndexError):
        raise VenueError("not a token of the message bus") from None
    if not isinstance(claims, dict) or not isinstance(claims.get("nats"), dict):
        raise VenueError("not a token of the message bus")
    return claims


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user's token with its key."""

    token: str
    key: Key

    @property
    def tags(self) -> dict[str, str]:
        """What the account wrote on it: venue and table."""
        tags = claims_of(self.token)["nats"].get("tags", [])
        return dict(tag.split(":", 1) for tag in tags if ":" in tag)

    def text(self) -> str:
        """The file's text, as NATS' own tools write it."""
        return (
            f"-----BEGIN NATS USER JWT-----\n{self.token}\n------END NATS USER JWT------\n\n"
            f"-----BEGIN USER NKEY SEED-----\n{self.key.seed}\n------END USER NKEY SEED------\n"
        )

    @classmethod
    def parse(cls, text: str, origin: str) -> Self:
        """Read the file's text.

        Raises:
            VenueError: naming the file.
        """
        lines = [line.strip() for line in text.splitlines()]
        held = [line for line in lines if line and not line.startswith("-")]
        if len(held) != 2:
            raise VenueError(f"{origin}: not a credentials file")
        try:
            credentials = cls(held[0], Key.of_seed(held[1]))
            same = claims_of(held[0]).get("sub") == credentials.key.public
        except VenueError as error:
            raise VenueError(f"{origin}: {error}") from None
        if not same:
            raise VenueError(f"{origin}: the key is not the one the token is about")
        return credentials

    def signature(self, nonce: str) -> bytes:
        """What the client answers the server's challenge with."""
        return base64.b64encode(self.key.sign(nonce.encode()))
