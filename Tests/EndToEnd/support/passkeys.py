"""An authenticator in software, by PyPI's `fido2`, and the ports of sites with passkeys."""

import socket
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

VERIFIED = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


def site_arguments():
    """Returns a server's arguments for a site that browsers give passkeys to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return "--port", str(port), "--public-url", f"http://localhost:{port}"


def text(data):
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def data(text):
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Authenticator:
    """Signs for any origin, and with any counter, as no honest device does."""

    def __init__(self, origin, site="localhost"):
        self.origin, self.site = origin, site
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = uuid.uuid4().bytes
        self.counter = 0
        self.flags = VERIFIED

    def _client(self, kind, challenge, origin):
        return CollectedClientData.create(kind, data(challenge), origin or self.origin)

    def make(self, request, origin=None):
        public = ES256.from_cryptography_key(self.key.public_key())
        credential = AttestedCredentialData.create(Aaguid.NONE, self.id, public)
        made = AuthenticatorData.create(
            sha256(self.site.encode()).digest(),
            self.flags | AuthenticatorData.FLAG.AT,
            self.counter,
            credential,
        )
        client = self._client("webauthn.create", request["challenge"], origin)
        return {
            "clientDataJSON": text(client),
            "attestationObject": text(AttestationObject.create("none", made, {})),
        }

    def use(self, request, handle, origin=None):
        client = self._client("webauthn.get", request["challenge"], origin)
        used = AuthenticatorData.create(
            sha256(self.site.encode()).digest(), self.flags, self.counter
        )
        signed = bytes(used) + sha256(client).digest()
        return {
            "credentialID": text(self.id),
            "userHandle": handle,
            "clientDataJSON": text(client),
            "authenticatorData": text(used),
            "signature": text(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
        }
