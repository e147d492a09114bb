"""A temporary certificate authority for the tests."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Authority:
    """A certificate authority that signs server certificates, with its files in a directory."""

    def __init__(self, home: Path, name: str) -> None:
        self._home = home
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _distinguished_name(name)
        is_authority = x509.BasicConstraints(ca=True, path_length=0)
        builder = _certificate_builder(self._name, self._name, self._key)
        certificate = builder.add_extension(is_authority, True).sign(self._key, hashes.SHA256())
        self.file = home / f"{name}.pem"
        self.file.write_bytes(certificate.public_bytes(Encoding.PEM))

    def issue_certificate(self, host: str) -> tuple[Path, Path]:
        """Issue a certificate for a host; return the paths of the certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        hosts = x509.SubjectAlternativeName([x509.DNSName(host)])
        builder = _certificate_builder(_distinguished_name(host), self._name, key)
        certificate = builder.add_extension(hosts, False).sign(self._key, hashes.SHA256())
        certificate_file, key_file = self._home / f"{host}.crt", self._home / f"{host}.key"
        certificate_file.write_bytes(certificate.public_bytes(Encoding.PEM))
        key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return certificate_file, key_file


def _distinguished_name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _certificate_builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    """Return a builder of a certificate that is valid for the next two days."""
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
    )
