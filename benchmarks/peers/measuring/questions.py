"""What proxies ask by at a door, about the request that is measured."""

import subprocess

TARGET, HOST = "/api/orders/7", "api.example.com"
# Every proxy states the client's address.
STATED = ["X-Forwarded-For: 192.0.2.7"]
ORIGINAL = ["X-Original-Method: GET", f"X-Original-URI: {TARGET}", f"X-Original-Host: {HOST}", "X-Original-Proto: https"]
FORWARDED = ["X-Forwarded-Method: GET", f"X-Forwarded-Uri: {TARGET}", f"X-Forwarded-Host: {HOST}", "X-Forwarded-Proto: https"]
# By the kind of the door.
QUESTIONS = {
    "nginx": ORIGINAL + STATED, "haproxy": ORIGINAL + STATED, "caddy": FORWARDED + STATED, "traefik": FORWARDED + STATED,
    "envoy-http": ["X-Forwarded-Proto: https"] + STATED,
}


def door(kind, port):
    """The line of a file that opens one."""
    return f'  - {{kind: {kind}, address: "127.0.0.1:{port}", from: [127.0.0.1/32]}}\n'


# Envoy's call of gRPC, and what it states beside the message.
CALL = "/envoy.service.auth.v3.Authorization/Check"
CALL_FIELDS = ["content-type: application/grpc", "te: trailers"]


def message(token):
    """The same question in the message of the call, behind its prefix; what a client of HTTP sends beside its token is in it."""
    fields = {"authorization": f"Bearer {token}", "accept": "*/*", "user-agent": "h2load", "x-forwarded-proto": "https", "x-request-id": "7"}
    entries = b"".join(part(3, part(1, name) + part(2, value)) for name, value in fields.items())
    http = part(2, "GET") + entries + part(4, TARGET) + part(5, HOST) + part(6, "https")
    source = part(1, part(1, part(2, "192.0.2.7")))
    check = part(1, part(1, source) + part(4, part(2, http)))
    return b"\0" + len(check).to_bytes(4, "big") + check


def part(number, content):
    """A field of protocol buffers that has a length."""
    content = content.encode() if isinstance(content, str) else content
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def is_permitted(port, body):
    """Whether the answer to the call states who the user is: its status says nothing of that."""
    command = ["nghttp", f"--data={body}", "-H", ":method: POST"]
    for field in CALL_FIELDS:
        command += ["-H", field]
    return b"x-subject" in subprocess.run([*command, f"http://127.0.0.1:{port}{CALL}"], capture_output=True, timeout=30).stdout
