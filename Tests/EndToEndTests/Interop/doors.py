"""A proxy that asks Bearward at a door, held against Bearward itself.

doors.py matrix KIND PEER DIRECT CASES   sends the same requests to both, and prints each difference that is not listed here
doors.py listed                          prints what may differ, and where the documentation says so
doors.py judge PORT PORTFILE             is a judge that does what the stated path says: nothing, too late, or nothing that makes sense
"""
import base64
import json
import random
import socket
import sys
import threading
import urllib.parse


def receive(connection, is_head):
    """Status, fields and content of one response; None if there was none."""
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            part = connection.recv(65536)
            if not part:
                return None
            data += part
        head, _, rest = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        fields = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        lookup = dict(fields)
        if status == 100:
            return None
        if is_head or status in (204, 304):
            return status, fields, b""
        if lookup.get("transfer-encoding") == "chunked":
            while not rest.endswith(b"0\r\n\r\n"):
                part = connection.recv(65536)
                if not part:
                    return None
                rest += part
            content = b""
            while rest:
                size, _, rest = rest.partition(b"\r\n")
                length = int(size, 16)
                content, rest = content + rest[:length], rest[length + 2:]
                if length == 0:
                    break
            return status, fields, content
        length = lookup.get("content-length")
        while length is None or len(rest) < int(length):
            part = connection.recv(65536)
            if not part:
                break
            rest += part
        return status, fields, rest
    except (OSError, ValueError, IndexError):
        return None


class Client:
    """One connection after another to a port; kept while the other side keeps it."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def ask(self, request):
        is_head = request.startswith(b"HEAD ")
        for attempt in range(2):
            is_fresh = self.connection is None
            if is_fresh:
                self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                self.connection.sendall(request)
            except OSError:
                pass
            response = receive(self.connection, is_head)
            # Whether bytes of a malformed request are left is nobody's to say.
            if response is None or response[0] >= 400 or dict(response[1]).get("connection", "").lower() == "close":
                self.connection.close()
                self.connection = None
            if response is not None or is_fresh:
                return response
        return None


def view(response):
    """What has to be the same: whether it was let in and as whom, or status, challenge, content and Retry-After."""
    if response is None:
        return {"outcome": "none"}
    status, fields, content = response
    lookup = dict(fields)
    if lookup.get("x-reached") == "shop":
        return {"outcome": "let in", "identity": sorted(json.loads(lookup["x-identity"]))}
    seen = {"outcome": "refused", "status": status, "challenge": [value for name, value in fields if name == "www-authenticate"],
            "retry": [int(value) // 5 for name, value in fields if name == "retry-after"],
            "type": [value for name, value in fields if name == "content-type"] if content else []}
    try:
        problem = json.loads(content)
        problem.pop("request_id", None)
        seen["content"] = problem
    except ValueError:
        seen["content"] = content.decode("latin-1")
    return seen


def is_own(kind, response):
    """Whether the proxy refused by itself before it asked: its answer has nothing of Bearward's."""
    if response is None:
        return True
    status, fields, _ = response
    return status in (400, 405, 408, 413, 414, 417, 431, 494, 500, 501, 505) and "x-request-id" not in dict(fields)


# What `docs/doors.md` lists: what ends at the proxy, and what it mends before it asks, so that the request is another one.
LISTED = {
    "nginx": ["T026 nominated by Connection", "T033 "],
    "haproxy": ["T026 nominated by Connection", "T033 ", "T018 folded"],
    "caddy": ["T026 nominated by Connection", "T033 ", "T018 folded"],
    "traefik": ["T026 nominated by Connection", "T033 ", "T018 folded"],
    # It joins fields of one name, and has an answer of its own to CONNECT.
    "envoy-grpc": ["T026 nominated by Connection", "T033 ", "T018 folded", "T011 Basic, then Bearer", "T198 CONNECT"],
    "envoy-http": ["T026 nominated by Connection", "T033 ", "T018 folded", "T011 Basic, then Bearer", "T198 CONNECT"],
}

# Where `docs/doors.md` says so, by the beginning of what is listed above.
DOCUMENTED = {
    "T026 nominated by Connection": "The proxy consumes a client's `Connection` and `Expect`, so Bearward cannot refuse them with 400 or 417.",
    "T033 ": "The proxy consumes a client's `Connection` and `Expect`, so Bearward cannot refuse them with 400 or 417.",
    "T018 folded": "HAProxy, Caddy, Traefik and Envoy join a folded line",
    "T011 Basic, then Bearer": "Envoy joins headers of one name by a comma, so two `Authorization` headers are one:",
    "T198 CONNECT": "Envoy answers CONNECT itself",
}

FAMILIES = [
    ("X-Original-Method", "GET"), ("X-Original-URI", "/status"), ("X-Original-Host", "other.example"), ("X-Original-Proto", "https"),
    ("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/status"), ("X-Forwarded-Host", "other.example"), ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Prefix", "/status"), ("X-Forwarded-Server", "a"), ("X-Original-URL", "/status"), ("X-Rewrite-URL", "/status"),
    ("Forwarded", "for=192.0.2.1;host=other.example"), ("X-Envoy-Original-Path", "/status"), ("X-Auth-Subject", "root"),
    ("X-Bearward-Verdict", "allow"), ("X-Bearward-Status", "200"), ("X-HTTP-Method-Override", "GET"), ("X-HTTP-Method", "DELETE"),
    ("X-Method-Override", "PUT"), ("Proxy", "http://192.0.2.1"),
]


def spoofs(generator):
    """A few planted fields: of every family, `_` for `-`, twice, or named in `Connection`."""
    lines = []
    for name, value in generator.sample(FAMILIES, generator.randint(1, 5)):
        form = generator.randint(0, 5)
        if form == 0:
            name = name.replace("-", "_")
        elif form == 1:
            name = name.lower()
        elif form == 2:
            name = name.replace("-", "_", 1)
        lines.append(f"{name}: {value}")
        if form == 3:
            lines.append(f"{name}: {value}")
        if form == 4:
            lines.append(f"Connection: {name}")
    return lines


def spellings(generator, count):
    """Paths that one reader might take for another."""
    bases = ["/orders", "/orders/7", "/orders/admin", "/status", "/public/a", "/both", "/me", "/", "/billing", "/billing/x", "/nowhere"]
    pieces = ["/", "//", "/.", "/..", "/./", "/../", "/%2e", "/%2E%2e/", "/..;/", ";", ";x=1", "%2f", "%2F", "%5c", "\\", "%00", "%0a", "%25",
              "%252e", "%2525", "?", "?a=1", "??", "#", "%3f", "%3F", "%23", "%ff", "%c0%ae", "%E2%82%AC", "%zz", "%", "%4", "~", "%7e", "%41",
              "+", "%20", "*", "@", ":", "=", "&", "!", "'", "(", ",", "$", "|", "^", "{", "}", "[", "<", "\"", "`", "é"]
    seen = set()
    while len(seen) < count:
        path = generator.choice(bases)
        # Some are beyond doubt, so that something is let in.
        if generator.random() < 0.1:
            seen.add(f"{path}?{generator.randint(0, 99999)}")
            continue
        for _ in range(generator.randint(0, 3)):
            where = generator.randint(1, len(path))
            path = path[:where] + generator.choice(pieces) + path[where:]
        if generator.random() < 0.2:
            path += generator.choice(bases)
        if generator.random() < 0.2:
            path = "".join(f"%{ord(c):02x}" if c.isalpha() and generator.random() < 0.4 else c for c in path)
        seen.add(path)
    return sorted(seen)


def cases(path):
    given = json.load(open(path))
    for case in given["requests"]:
        yield case["name"], base64.b64decode(case["bytes"])
    generator = random.Random(given["seed"])
    tokens = given["tokens"]
    for number, target in enumerate(spellings(generator, given["paths"])):
        method = generator.choice(["GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"])
        lines = [f"{method} {target} HTTP/1.1", "Host: lab.example"]
        token = generator.choice(tokens + [None])
        if token is not None:
            lines.append(f"Authorization: Bearer {token}")
        lines += spoofs(generator)
        yield f"path {number}: {lines}", ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def mended(request):
    """The request as Caddy and Traefik make it before they ask: Go escapes a path anew that has bytes which must not stand there."""
    method, _, rest = request.partition(b" ")
    target, _, rest = rest.partition(b" ")
    path, mark, query = target.partition(b"?")
    allowed = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!$&'()*+,;=:@/[]%"
    if any(byte not in allowed for byte in path):
        path = urllib.parse.quote(urllib.parse.unquote_to_bytes(path), safe="$&+,/:;=@-_.~").encode()
    return method + b" " + path + mark + query + b" " + rest


def matrix(kind, peer, direct, path):
    through, itself = Client(int(peer)), Client(int(direct))
    report = {"requests": 0, "let_in": 0, "refused": 0, "own": 0, "listed": [], "opened": [], "differences": []}
    for name, request in cases(path):
        report["requests"] += 1
        there, here = through.ask(request), itself.ask(mended(request) if kind in ("caddy", "traefik") else request)
        seen, expected = view(there), view(here)
        report["let_in"] += seen["outcome"] == "let in"
        report["refused"] += seen["outcome"] == "refused"
        if seen != expected and any(name.startswith(listed) for listed in LISTED[kind]):
            report["listed"].append(name)
        elif seen["outcome"] == "let in" and expected["outcome"] != "let in":
            report["opened"].append([name, expected])
        elif seen != expected:
            if is_own(kind, there):
                report["own"] += 1
            else:
                report["differences"].append([name, seen, expected])
    report["opened"], report["differences"] = report["opened"][:20], report["differences"][:20]
    print(json.dumps(report))


def listed():
    """For each kind what is listed, and where the documentation says so; null if it is nowhere."""
    print(json.dumps({kind: {name: DOCUMENTED.get(name) for name in names} for kind, names in LISTED.items()}))


def judge(port, port_file):
    """Answers by the last word of the stated path; without one, or with another protocol's statement, not at all."""
    listener = socket.create_server(("127.0.0.1", int(port)))
    open(port_file, "w").write(str(listener.getsockname()[1]))
    forms = {
        b"garbage": b"\x00\x01 what?\r\n\r\n", b"nothing": b"", b"half": b"HTTP/1.1 200 O", b"headless": b"HTTP/1.1 200 OK\r\nX-Auth-Subject: a",
        b"five": b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", b"other": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"number": b"HTTP/1.1 abc OK\r\n\r\n", b"huge": b"HTTP/1.1 200 OK\r\nX-Auth-Subject: " + b"a" * 12_000_000 + b"\r\n\r\n",
        b"many": b"HTTP/1.1 200 OK\r\n" + b"X-Auth-Subject: a\r\n" * 60_000, b"trailing": b"HTTP/1.1 403 \r\nContent-Length: 9\r\n\r\n{",
        b"interim": b"HTTP/1.1 100 Continue\r\n\r\n" * 3, b"switch": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        b"old": b"200 OK\r\n\r\n", b"binary": bytes(range(256)) * 8,
    }

    def serve(connection):
        data = b""
        # The preface of HTTP/2 ends as a head does, and the path comes in a message of its own.
        while b"\r\n\r\n" not in data or data.startswith(b"PRI ") and b"/orders/" not in data:
            part = connection.recv(65536)
            if not part:
                return connection.close()
            data += part
        word = next((word for word in list(forms) + [b"late"] if b"/orders/" + word in data), b"nothing")
        if word == b"late":
            threading.Event().wait(30)
        try:
            connection.sendall(forms.get(word, b""))
        except OSError:
            # It has seen enough.
            pass
        connection.close()

    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    {"matrix": matrix, "judge": judge, "listed": listed}[sys.argv[1]](*sys.argv[2:])
