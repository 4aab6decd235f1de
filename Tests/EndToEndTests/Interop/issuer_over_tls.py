"""The issuer that the pages name, with discovery and one key, over TLS: CERTIFICATE KEY ISSUER ADDRESS."""

import http.server
import json
import ssl
import sys

certificate, key, issuer, address = sys.argv[1:]
# The example of RFC 7517, appendix A.1.
JWK = {
    "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "one",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
}
DOCUMENTS = {
    "/.well-known/openid-configuration": {"issuer": issuer, "jwks_uri": issuer + "/keys"},
    "/keys": {"keys": [JWK]},
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        document = DOCUMENTS.get(self.path)
        body = json.dumps(document or {}).encode()
        self.send_response(200 if document else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer((address, 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print("ready", flush=True)
server.serve_forever()
