"""What proxies ask by at a door, about the request that is measured."""

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
