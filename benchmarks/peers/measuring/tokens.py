"""Keys of a development issuer, and tokens signed with them: a few to use again, many to use once."""

import base64
import json
import multiprocessing
import os
import signal
import time
import warnings

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from joserfc import jws, jwt
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

AUDIENCE = "https://shopping.your-app.com/api"
ISSUER = "https://issuer.example"
SCOPE = "shopping:read"
LIFETIME = 6 * 3600
ALGORITHMS = ["RS256", "ES256", "ES384", "EdDSA"]
# "EdDSA" is the older name of what RFC 9864 calls Ed25519, and what issuers still write.
warnings.filterwarnings("ignore", message="EdDSA is deprecated")
REGISTRY = jws.JWSRegistry(algorithms=[*ALGORITHMS, "PS256"])
CURVES = {"ES256": ("P-256", hashes.SHA256, 32), "ES384": ("P-384", hashes.SHA384, 48)}


class Issuer:
    """One issuer with a key for each algorithm, on disk in the forms that the contenders read."""

    def __init__(self, directory, name="issuer", identifier=ISSUER, algorithms=ALGORITHMS):
        self.name, self.identifier, self.algorithms = name, identifier, algorithms
        self.keys = {algorithm: generate(algorithm) for algorithm in algorithms}
        self.key_set = json.dumps(KeySet(list(self.keys.values())).as_dict(private=False))
        self.key_set_file = directory / f"{name}.json"
        self.key_set_file.write_text(self.key_set)
        self.pem_files = {}
        for algorithm, key in self.keys.items():
            self.pem_files[algorithm] = directory / f"{name}-{algorithm}.pem"
            self.pem_files[algorithm].write_bytes(key.as_pem(private=False))

    def claims(self, **changes):
        now = int(time.time())
        claims = {"iss": self.identifier, "aud": AUDIENCE, "sub": "user-1", "client_id": "app-1", "scope": SCOPE}
        return claims | {"iat": now, "exp": now + LIFETIME} | changes

    def sign(self, algorithm, **changes):
        """One token, by the library that is tested against other implementations."""
        return jwt.encode(header(algorithm, self.keys[algorithm]), self.claims(**changes), self.keys[algorithm], registry=REGISTRY)

    def rotation(self, algorithm, count):
        return [self.sign(algorithm, jti=str(number)) for number in range(count)]

    def many(self, algorithm, count):
        """`count` different tokens, signed on every core."""
        with multiprocessing.get_context("fork").Pool(os.cpu_count(), begin_signing, (self, algorithm)) as pool:
            return pool.map(sign_numbered, range(count), chunksize=200)

    def forged(self, count):
        """Well-formed RS256 tokens of this issuer's key ID whose signatures are random numbers below the modulus."""
        head = encoded(json.dumps(header("RS256", self.keys["RS256"])).encode())
        tokens = []
        for number in range(count):
            body = encoded(json.dumps(self.claims(jti=f"forged-{number}")).encode())
            tokens.append(f"{head}.{body}.{encoded(bytes(1) + os.urandom(255))}")
        return tokens


def generate(algorithm):
    parameters = {"kid": algorithm.lower(), "alg": algorithm, "use": "sig"}
    if algorithm in ("RS256", "PS256"):
        return RSAKey.generate_key(2048, parameters)
    if algorithm == "EdDSA":
        return OKPKey.generate_key("Ed25519", parameters)
    return ECKey.generate_key(CURVES[algorithm][0], parameters)


def header(algorithm, key):
    return {"alg": algorithm, "kid": key.kid, "typ": "at+jwt"}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


signing = {}


def begin_signing(issuer, algorithm):
    # The parent's way of ending is to end what it started; a signing process has started nothing.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    key = issuer.keys[algorithm]
    signing.update(key=key.private_key, algorithm=algorithm, claims=issuer.claims())
    signing["head"] = encoded(json.dumps(header(algorithm, key)).encode())


def sign_numbered(number):
    """One token by libcrypto directly: tens of thousands are needed before a run begins."""
    body = encoded(json.dumps(signing["claims"] | {"jti": str(number)}).encode())
    text = f"{signing['head']}.{body}"
    return f"{text}.{encoded(signature(signing['algorithm'], signing['key'], text.encode()))}"


def signature(algorithm, key, data):
    if algorithm == "RS256":
        return key.sign(data, padding.PKCS1v15(), hashes.SHA256())
    if algorithm == "PS256":
        return key.sign(data, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
    if algorithm == "EdDSA":
        return key.sign(data)
    _, digest, size = CURVES[algorithm]
    r, s = decode_dss_signature(key.sign(data, ec.ECDSA(digest())))
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")
