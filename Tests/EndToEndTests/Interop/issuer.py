"""An issuer made with joserfc: keys of five algorithms, a JWK Set over HTTP, and tokens good and bad.

Prints one JSON object (issuer, tokens by name, expected status by name) and serves until its standard input ends.
"""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from joserfc import jws, jwt
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

AUDIENCE = "https://shopping.your-app.com/api"
REGISTRY = jws.JWSRegistry(algorithms=["RS256", "PS256", "ES256", "ES384", "EdDSA"])


def key_set():
    """One key for each algorithm."""
    return {
        "RS256": RSAKey.generate_key(2048, {"kid": "rs", "alg": "RS256", "use": "sig"}),
        "PS256": RSAKey.generate_key(2048, {"kid": "ps", "alg": "PS256", "use": "sig"}),
        "ES256": ECKey.generate_key("P-256", {"kid": "es256", "alg": "ES256", "use": "sig"}),
        "ES384": ECKey.generate_key("P-384", {"kid": "es384", "alg": "ES384", "use": "sig"}),
        "EdDSA": OKPKey.generate_key("Ed25519", {"kid": "ed", "alg": "EdDSA", "use": "sig"}),
    }


def sign(keys, algorithm, claims):
    header = {"alg": algorithm, "kid": keys[algorithm].kid, "typ": "at+jwt"}
    return jwt.encode(header, claims, keys[algorithm], registry=REGISTRY)


def tokens(issuer, keys, count):
    now = int(time.time())
    good = {
        "iss": issuer, "aud": AUDIENCE, "sub": "user-1", "client_id": "app-1",
        "scope": "shopping:read", "iat": now, "exp": now + 3600,
    }
    made = {algorithm: (sign(keys, algorithm, good), 200) for algorithm in keys}
    made["expired"] = (sign(keys, "RS256", good | {"iat": now - 7200, "exp": now - 3600}), 401)
    made["other audience"] = (sign(keys, "RS256", good | {"aud": "https://store.your-app.com/api"}), 401)
    made["no scope"] = (sign(keys, "RS256", good | {"scope": "profile"}), 403)
    other_keys = key_set()
    made["another key of the same name"] = (sign(other_keys, "ES256", good), 401)
    head, body, signature = made["RS256"][0].split(".")
    made["changed signature"] = (f"{head}.{body}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}", 401)
    rotation = [sign(keys, "RS256", good | {"jti": str(number)}) for number in range(count)]
    return made, rotation


def serve(keys):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            documents = {
                "/.well-known/openid-configuration": {"issuer": self.server.issuer, "jwks_uri": self.server.issuer + "/keys"},
                "/keys": KeySet(list(keys.values())).as_dict(private=False),
            }
            document = documents.get(self.path)
            body = json.dumps(document if document is not None else {"error": "not found"}).encode()
            self.send_response(200 if document is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.issuer = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    signing_keys = key_set()
    running = serve(signing_keys)
    named, many = tokens(running.issuer, signing_keys, count=100)
    print(json.dumps({
        "issuer": running.issuer,
        "tokens": {name: token for name, (token, _) in named.items()},
        "expected": {name: status for name, (_, status) in named.items()},
        "rotation": many,
        "key_set": json.dumps(KeySet(list(signing_keys.values())).as_dict(private=False)),
        "rsa_pem": signing_keys["RS256"].as_pem(private=False).decode(),
    }), flush=True)
    sys.stdin.read()
