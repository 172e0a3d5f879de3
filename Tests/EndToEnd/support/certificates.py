"""Certificates of the tests' own for 127.0.0.1."""

import datetime
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class Certificate:
    """A certificate signed by its own key, valid for `days` from now; for a negative number it has
    expired."""

    def __init__(self, days=30):
        self.key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
        now = datetime.datetime.now(datetime.timezone.utc)
        address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=365))
            .not_valid_after(now + datetime.timedelta(days=days, hours=1))
            .add_extension(address, False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
            .sign(self.key, hashes.SHA256())
        )

    @property
    def serial(self):
        return self.certificate.serial_number

    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def key_pem(self, passphrase=None):
        encryption = (
            serialization.BestAvailableEncryption(passphrase)
            if passphrase
            else serialization.NoEncryption()
        )
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
        )


class Files:
    """The files of certificate and key."""

    def __init__(self, folder):
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"

    def write(self, certificate, key=None):
        self.certificate.write_bytes(certificate.pem())
        self.key.write_bytes((key or certificate).key_pem())
        self.key.chmod(0o600)

    @property
    def options(self):
        return ["--tls-certificate", self.certificate, "--tls-key", self.key]
