"""The venue's own certificate authority: one root, one certificate for each server."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from table_controller.venue.errors import VenueError
from table_controller.whole_files import write_secret

_YEARS: Final = 5
_BOTH: Final = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: str, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        # A table whose clock is behind must still get in, to be told that it is behind.
        .not_valid_before(now - dt.timedelta(days=2))
        .not_valid_after(now + dt.timedelta(days=365 * _YEARS))
    )


def _write(folder: Path, name: str, key: ec.EllipticCurvePrivateKey, made: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.pem").write_bytes(made)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_secret(folder / f"{name}.key", pem.decode())


def make_authority(folder: Path, venue: str) -> None:
    """A new root: ``ca.pem`` and ``ca.key``."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = f"paiguan {venue}"
    certificate = (
        _builder(name, _name(name), key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=True,
                key_cert_sign=True,
                crl_sign=True,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
        .sign(key, hashes.SHA256())
    )
    _write(folder, "ca", key, certificate.public_bytes(Encoding.PEM))


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def make_certificate(authority: Path, folder: Path, name: str, hosts: list[str]) -> None:
    """A server's certificate, signed by the root in ``authority``: ``<name>.pem`` and ``.key``.

    Raises:
        VenueError: the root cannot be read.
    """
    try:
        root = x509.load_pem_x509_certificate((authority / "ca.pem").read_bytes())
        signer = load_pem_private_key((authority / "ca.key").read_bytes(), None)
    except (OSError, ValueError) as error:
        raise VenueError(f"{authority}: the authority cannot be read: {error}") from None
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        _builder(name, root.subject, key.public_key())
        .add_extension(
            x509.SubjectAlternativeName([_alternative(host) for host in hosts]), critical=False
        )
        .add_extension(
            # The servers of a cluster are each other's clients as well.
            x509.ExtendedKeyUsage(
                [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
            ),
            critical=False,
        )
        .sign(signer, hashes.SHA256())
    )
    _write(folder, name, key, certificate.public_bytes(Encoding.PEM))


def client_context(authority: Path) -> ssl.SSLContext:
    """Trusts this root and no other.

    Raises:
        VenueError: it cannot be read.
    """
    try:
        return ssl.create_default_context(cafile=str(authority))
    except (OSError, ssl.SSLError) as error:
        raise VenueError(f"{authority}: not a certificate: {error}") from None
