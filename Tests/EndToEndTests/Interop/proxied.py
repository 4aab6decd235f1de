"""What a proxy that asks at a door passes on to the application: upgrades, and fields.

proxied.py application PORTFILE        takes every upgrade that it is asked for, and answers a request with what has reached it
proxied.py hypercorn PORTFILE          is an application of a server that takes h2c as it is installed
proxied.py upgrades PORT APPLICATION   asks a proxy for upgrades of every form, and prints each that is no WebSocket's and passes
proxied.py origins PORT APPLICATION    asks for WebSockets as pages of several origins do, and prints which are opened
proxied.py sessions PORT APPLICATION   the same as `upgrades` over HTTP/2
proxied.py tunnel PORT APPLICATION     asks the proxy before such a server for h2c, and deletes a user by a second stream
proxied.py traefik EXAMPLE APPLICATION prints what Traefik reads from a file of the manifests of an example
proxied.py targets PORT APPLICATION    prints how the proxy forwards targets that hold what no URI does
proxied.py names PORT APPLICATION TOKEN FORM
                                       sends what no request is forwarded with in every spelling, as FORM `fields` of HTTP/1.1, `sessions` of
                                       HTTP/2, `options` of Connection or `trailers` of both, and prints what reaches the application
"""
import asyncio
import base64
import hashlib
import json
import socket
import sys
import threading
import urllib.parse

# What has reached the application since that was last asked for.
SEEN, LOCK = [], threading.Lock()


class Reader:
    """The bytes of one connection."""

    def __init__(self, connection):
        self.connection, self.data = connection, b""

    def more(self):
        part = self.connection.recv(65536)
        if not part:
            raise EOFError
        self.data += part

    def until(self, end):
        while end not in self.data:
            self.more()
        found, _, self.data = self.data.partition(end)
        return found

    def exactly(self, count):
        while len(self.data) < count:
            self.more()
        found, self.data = self.data[:count], self.data[count:]
        return found

    def head(self):
        """The first line and the fields of a message."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        return lines[0], [[name, value.strip()] for name, _, value in (line.partition(":") for line in lines[1:])]

    def content(self, fields):
        """The content of a message, and its trailers."""
        lookup = {name.lower(): value for name, value in fields}
        if "chunked" not in lookup.get("transfer-encoding", "").lower():
            return self.exactly(int(lookup.get("content-length", 0))), []
        content, trailers = b"", []
        while size := int(self.until(b"\r\n").partition(b";")[0], 16):
            content += self.exactly(size + 2)[:-2]
        while line := self.until(b"\r\n").decode("latin-1"):
            name, _, value = line.partition(":")
            trailers.append([name, value.strip()])
        return content, trailers


def values(fields, name):
    return [value for found, value in fields if found.lower() == name]


# An application


def converse(reader):
    while True:
        line, fields = reader.head()
        _, trailers = reader.content(fields)
        request = {"line": line, "fields": fields, "trailers": trailers, "tunnel": ""}
        if line.startswith("GET /seen "):
            with LOCK:
                content = json.dumps(SEEN).encode()
                SEEN.clear()
            reader.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content))
            continue
        with LOCK:
            SEEN.append(request)
        protocols = [word.strip().lower() for value in values(fields, "upgrade") for word in value.split(",") if word.strip()]
        if not protocols:
            content = json.dumps(request).encode()
            reader.connection.sendall(b"HTTP/1.1 200 OK\r\nX-Reached: shop\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content))
            continue
        # Whatever else is asked for is taken rather than a WebSocket.
        protocol = next((protocol for protocol in protocols if protocol != "websocket"), "websocket")
        lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: " + protocol]
        if protocol == "websocket":
            key = (values(fields, "sec-websocket-key") or [""])[0]
            accept = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            lines.append("Sec-WebSocket-Accept: " + base64.b64encode(accept).decode())
        reader.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while True:
            if reader.data:
                with LOCK:
                    request["tunnel"] += reader.data.decode("latin-1")
                reader.connection.sendall(reader.data)
                reader.data = b""
            reader.more()


def serve(connection):
    with connection:
        try:
            converse(Reader(connection))
        except (OSError, EOFError, ValueError):
            pass


def application(port_file):
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    with open(port_file, "w") as file:
        file.write(str(listener.getsockname()[1]))
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


def hypercorn(port_file):
    import hypercorn.asyncio
    import hypercorn.config

    async def answer(scope, receive, send):
        if scope["type"] != "http":
            return
        content = b""
        if scope["path"] == "/seen":
            content = json.dumps(SEEN).encode()
        else:
            SEEN.append(f"{scope['method']} {scope['path']} {scope['http_version']}")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(len(content)).encode())]})
        await send({"type": "http.response.body", "body": content})

    listener = socket.create_server(("127.0.0.1", 0))
    config = hypercorn.config.Config()
    config.bind, config.accesslog, config.errorlog = [f"fd://{listener.fileno()}"], None, None
    with open(port_file, "w") as file:
        file.write(str(listener.getsockname()[1]))
    asyncio.run(hypercorn.asyncio.serve(answer, config))


def connect(port):
    connection = socket.create_connection(("127.0.0.1", int(port)), timeout=20)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def seen(port):
    """What has reached the application since that was last asked for."""
    with connect(port) as connection:
        connection.sendall(b"GET /seen HTTP/1.1\r\nHost: application\r\n\r\n")
        reader = Reader(connection)
        _, fields = reader.head()
        return json.loads(reader.content(fields)[0])


# Upgrades

KEY = ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
SETTINGS = "HTTP2-Settings: AAMAAABkAAQAAP__"
BOTH = "Connection: Upgrade, HTTP2-Settings"

UPGRADES = {
    "h2c": [BOTH, "Upgrade: h2c", SETTINGS],
    "H2C": [BOTH, "Upgrade: H2C", SETTINGS],
    "h2c, in lower case": ["connection: upgrade, http2-settings", "upgrade: h2c", SETTINGS.lower()],
    "h2c with a WebSocket's key": [BOTH, "Upgrade: h2c", SETTINGS] + KEY,
    "h2c behind a WebSocket's line": [BOTH, "Upgrade: websocket", "Upgrade: h2c", SETTINGS] + KEY,
    "h2c before a WebSocket's line": [BOTH, "Upgrade: h2c", "Upgrade: websocket", SETTINGS] + KEY,
    "h2c, lines apart": [BOTH, "Upgrade: websocket"] + KEY + [SETTINGS, "upgrade: h2c"],
    "h2c twice": [BOTH, "Upgrade: h2c", "Upgrade: h2c", SETTINGS],
    "h2c behind an empty line": [BOTH, "Upgrade:", "Upgrade: h2c", SETTINGS],
    "websocket, h2c": [BOTH, "Upgrade: websocket, h2c", SETTINGS] + KEY,
    "h2c, websocket": [BOTH, "Upgrade: h2c, websocket", SETTINGS] + KEY,
    "websocket,h2c": [BOTH, "Upgrade: websocket,h2c", SETTINGS] + KEY,
    ", h2c": [BOTH, "Upgrade: , h2c", SETTINGS],
    "h2c,": [BOTH, "Upgrade: h2c,", SETTINGS],
    "h2c behind a tab": [BOTH, "Upgrade:\th2c", SETTINGS],
    "h2c on a folded line": [BOTH, "Upgrade: websocket,\r\n h2c", SETTINGS] + KEY,
    "websocket twice": [BOTH, "Upgrade: websocket", "Upgrade: websocket", SETTINGS] + KEY,
    "websocket,": [BOTH, "Upgrade: websocket,", SETTINGS] + KEY,
    "websocket/13": [BOTH, "Upgrade: websocket/13", SETTINGS] + KEY,
    "websockets": [BOTH, "Upgrade: websockets", SETTINGS] + KEY,
    "webSocke": [BOTH, "Upgrade: webSocke", SETTINGS] + KEY,
    "w": [BOTH, "Upgrade: w", SETTINGS] + KEY,
    "h2c/2": [BOTH, "Upgrade: h2c/2", SETTINGS],
    "TLS/1.0": ["Connection: Upgrade", "Upgrade: TLS/1.0"],
    "connect-udp": ["Connection: Upgrade", "Upgrade: connect-udp"],
    "SPDY/3.1": ["Connection: Upgrade", "Upgrade: SPDY/3.1"],
    "options in three lines": ["Connection: keep-alive", "Connection: Upgrade", "Connection: HTTP2-Settings", "Upgrade: h2c", SETTINGS],
    "no settings": ["Connection: Upgrade", "Upgrade: h2c"],
    "settings twice": [BOTH, "Upgrade: h2c", SETTINGS, SETTINGS],
    "settings alone": ["Connection: HTTP2-Settings", SETTINGS],
    "settings that nothing names": [SETTINGS],
    "h2c that nothing names": ["Upgrade: h2c", SETTINGS],
    "h2c of which only settings are named": ["Connection: HTTP2-Settings", "Upgrade: h2c", SETTINGS],
    "h2c and close": ["Connection: close, Upgrade", "Upgrade: h2c", SETTINGS],
    "websocket that nothing names": ["Upgrade: websocket"] + KEY,
    "websocket beside another name": ["Connection: x-upgrade", "Upgrade: websocket"] + KEY,
}

SOCKETS = {
    "websocket": ["Connection: Upgrade", "Upgrade: websocket"] + KEY,
    "WebSocket": ["connection: keep-alive, upgrade", "upgrade: WebSocket"] + KEY,
    "websocket with settings": [BOTH, "Upgrade: websocket", SETTINGS] + KEY,
    "websocket that names an identity": ["Connection: Upgrade, X-Auth-Subject", "Upgrade: websocket"] + KEY,
}

# What a client would send on a connection that speaks HTTP/2 now: the preface, settings, and a request that is read as HTTP/1.1 too.
INTRUSION = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]) + b"DELETE /admin/users/1 HTTP/1.1\r\nHost: lab.example\r\n\r\n"


def attempt(port, method, fields, target="/public/x"):
    """The status line of the answer, its fields, and what an echo returns if the protocols are switched."""
    lines = [f"{method} {target} HTTP/1.1", "Host: lab.example"] + fields
    with connect(port) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        reader = Reader(connection)
        try:
            line, answered = reader.head()
            if line.split(" ")[1] != "101":
                reader.content(answered)
                connection.sendall(INTRUSION)
                connection.shutdown(socket.SHUT_WR)
                while True:
                    reader.more()
            connection.sendall(INTRUSION)
            return line, answered, reader.exactly(len(INTRUSION))
        except (EOFError, OSError):
            return (line, answered, b"") if "line" in locals() else ("", [], b"")


def passed(requests):
    """What is wrong with what reached the application: a request that nobody judged, or an upgrade other than of a lone WebSocket."""
    faults = []
    for request in requests:
        fields = request["fields"]
        protocols = values(fields, "upgrade")
        if not request["line"].split(" ")[1].startswith("/public/"):
            faults.append("not judged: " + request["line"])
        if values(fields, "http2-settings"):
            faults.append("HTTP2-Settings")
        if [protocol.lower() for protocol in protocols] not in ([], ["websocket"]):
            faults.append(f"Upgrade: {protocols}")
        named = [word.strip().lower() for value in values(fields, "connection") for word in value.split(",")]
        if not set(named) <= {"close", "keep-alive", "upgrade", ""}:
            faults.append(f"Connection: {named}")
        if not protocols and request["tunnel"]:
            faults.append("tunnel: " + request["tunnel"])
    return faults


def upgrades(port, application_port):
    """Prints what passed that must not, what was refused, and which WebSockets were switched to."""
    report = {"asked": 0, "ordinary": 0, "refused": [], "sockets": [], "faults": []}
    seen(application_port)
    for method in ["GET", "POST"]:
        for name, fields in UPGRADES.items():
            report["asked"] += 1
            line, answered, _ = attempt(port, method, fields + (["Content-Length: 0"] if method == "POST" else []))
            requests = seen(application_port)
            report["faults"] += [f"{method}, {name}: {fault}" for fault in passed(requests)]
            upgraded = any(values(request["fields"], "upgrade") for request in requests)
            if line.split(" ")[1:2] == ["200"] and values(answered, "x-reached") and not upgraded:
                report["ordinary"] += 1
            elif not requests:
                report["refused"].append(f"{method}, {name}: {line}")
            elif not upgraded:
                report["faults"].append(f"{method}, {name}: {line}")
    for name, fields in SOCKETS.items():
        line, answered, echo = attempt(port, "GET", fields)
        requests = seen(application_port)
        report["faults"] += [f"{name}: {fault}" for fault in passed(requests)]
        if line.startswith("HTTP/1.1 101 ") and values(answered, "sec-websocket-accept") == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]:
            report["sockets"].append(name if echo == INTRUSION else f"{name}: no echo")
        elif requests:
            report["faults"].append(f"{name}: {line}")
        # What no rule lets in is refused, a WebSocket or not.
        line, _, _ = attempt(port, "GET", fields, "/admin/users/1")
        if seen(application_port) or line.startswith("HTTP/1.1 101 "):
            report["faults"].append(f"{name}, refused: {line}")
    print(json.dumps(report))


def origins(port, application_port):
    """Prints the origins whose pages open WebSockets where the file lists one, and those that are refused."""
    report = {"opened": [], "refused": [], "faults": [], "ordinary": []}
    seen(application_port)
    for origin in ["https://app.example", "https://evil.example", "https://lab.example", "null", ""]:
        stated = ["Origin: " + origin] if origin else []
        answers = set()
        for name, fields in SOCKETS.items():
            line, _, _ = attempt(port, "GET", fields + stated, "/public/sockets/x")
            status, is_there = line.split(" ")[1:2], bool(seen(application_port))
            answers.add("opened" if status == ["101"] and is_there else "refused" if status == ["403"] and not is_there else f"{name}: {line}")
        answer = answers.pop() if len(answers) == 1 else f"{origin}: {answers} "
        report.get(answer, report["faults"]).append(origin if answer in report else answer)
        line, _, _ = attempt(port, "GET", stated, "/public/sockets/x")
        if line.split(" ")[1:2] == ["200"] and len(seen(application_port)) == 1:
            report["ordinary"].append(origin)
    print(json.dumps(report))


# HTTP/2


class Session:
    """A client of HTTP/2 that sends what it is told to, lawful or not."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def open(self):
        import h2.config
        import h2.connection

        self.connection = connect(self.port)
        self.state = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=True, header_encoding=None, validate_outbound_headers=False, normalize_outbound_headers=False,
            validate_inbound_headers=False))

    def ask(self, fields, content=None, trailers=None):
        """Status, fields and content of the answer; the status is None if the stream or the connection ended without one."""
        if self.connection is None:
            self.open()
            self.state.initiate_connection()
        stream = self.state.get_next_available_stream_id()
        self.state.send_headers(stream, fields, end_stream=content is None and trailers is None)
        if content is not None:
            self.state.send_data(stream, content, end_stream=trailers is None)
        if trailers is not None:
            self.state.send_headers(stream, trailers, end_stream=True)
        answer = self.answer(stream)
        if answer[0] is None:
            self.close()
        return answer

    def answer(self, stream):
        import h2.events
        import h2.exceptions

        status, fields, content = None, [], b""
        try:
            while True:
                self.connection.sendall(self.state.data_to_send())
                part = self.connection.recv(65536)
                if not part:
                    return status, fields, content
                for event in self.state.receive_data(part):
                    if isinstance(event, h2.events.ConnectionTerminated):
                        self.close()
                        return status, fields, content
                    if getattr(event, "stream_id", None) != stream:
                        continue
                    if isinstance(event, h2.events.ResponseReceived):
                        fields = [[name.decode(), value.decode("latin-1")] for name, value in event.headers]
                        status = int(values(fields, ":status")[0])
                        # What was switched to does not end by itself.
                        if values(fields, "x-tunnel"):
                            return status, fields, content
                    elif isinstance(event, h2.events.DataReceived):
                        content += event.data
                        self.state.acknowledge_received_data(event.flow_controlled_length, stream)
                    elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                        return status, fields, content
        except (OSError, h2.exceptions.ProtocolError):
            return None, fields, content

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def pseudo(method, path, **more):
    fields = {"method": method, "scheme": "http", "authority": "lab.example", "path": path, **more}
    return [(b":" + name.encode(), value.encode()) for name, value in fields.items()]


def sessions(port, application_port):
    """Fields of a connection's in a request of HTTP/2, and protocols by CONNECT (RFC 8441)."""
    report = {"asked": 0, "ordinary": 0, "refused": [], "sockets": [], "faults": []}
    forms = {
        "h2c": [(b"connection", b"upgrade, http2-settings"), (b"upgrade", b"h2c"), (b"http2-settings", b"AAMAAABkAAQAAP__")],
        "upgrade alone": [(b"upgrade", b"h2c")], "settings alone": [(b"http2-settings", b"AAMAAABkAAQAAP__")],
        "websocket": [(b"connection", b"upgrade"), (b"upgrade", b"websocket")],
    }
    asked = {name: pseudo("GET", "/public/x") + fields for name, fields in forms.items()}
    for protocol in ["h2c", "websocket, h2c", "WebSocket", "connect-udp", "h2"]:
        asked["CONNECT " + protocol] = pseudo("CONNECT", "/public/x", protocol=protocol) + [(b"sec-websocket-version", b"13")]
    seen(application_port)
    for name, fields in asked.items():
        session = Session(port)
        report["asked"] += 1
        status, answered, _ = session.ask(fields)
        session.close()
        requests = seen(application_port)
        report["faults"] += [f"{name}: {fault}" for fault in passed(requests)]
        if status == 200 and values(answered, "x-reached"):
            report["ordinary"] += 1
        elif not requests:
            report["refused"].append(f"{name}: {status}")
    print(json.dumps(report))


def tunnel(port, application_port):
    """Prints what the application has answered, and whether the connection was switched to HTTP/2."""
    session = Session(port)
    session.open()
    settings = session.state.initiate_upgrade_connection().decode()
    lines = ["GET /public/x HTTP/1.1", "Host: lab.example", BOTH, "Upgrade: h2c", "HTTP2-Settings: " + settings]
    session.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    line, _ = Reader(session.connection).head()
    is_switched = line.startswith("HTTP/1.1 101 ")
    if is_switched:
        session.ask(pseudo("DELETE", "/admin/users/1") + [(b"x-auth-subject", b"evil")])
    else:
        session.close()
    with connect(application_port) as connection:
        connection.sendall(b"GET /seen HTTP/1.1\r\nHost: application\r\n\r\n")
        reader = Reader(connection)
        _, fields = reader.head()
        print(json.dumps({"line": line, "switched": is_switched, "requests": json.loads(reader.content(fields)[0])}))


def traefik(example, application_port):
    import yaml

    middlewares, routers = {}, {}
    with open(example) as file:
        for manifest in yaml.safe_load_all(file):
            if manifest["kind"] == "Middleware":
                middlewares[manifest["metadata"]["name"]] = manifest["spec"]
                continue
            for number, route in enumerate(manifest["spec"]["routes"]):
                names = [middleware["name"] for middleware in route["middlewares"]]
                routers[f"route-{number}"] = {"rule": route["match"], "middlewares": names, "service": "orders"}
    servers = {"loadBalancer": {"servers": [{"url": "http://127.0.0.1:" + application_port}]}}
    print(json.dumps({"http": {"middlewares": middlewares, "routers": routers, "services": {"orders": servers}}}))


# Names of fields

# What Bearward alone states, and what is forwarded of nobody.
IDENTITIES = ["X-Auth-Subject", "X-Auth-Scope"]
NEVER = IDENTITIES + [
    "Authorization", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL", "Proxy",
    "HTTP2-Settings",
]
# What proxies state: forwarded of nobody with another character for a hyphen.
STATED = [
    "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Uri", "X-Forwarded-Method", "X-Forwarded-Prefix",
    "X-Original-URI", "X-Original-Method", "X-Original-Host", "X-Real-IP", "X-Request-ID", "Remote-User", "X-Auth-Request-User",
    "X-Envoy-Original-Path", "X-Client-Cert", "Some-Name",
]
# Every character of a token (RFC 9110 §5.6.2) that is no letter, digit or hyphen; and what can stand in no name.
OTHERS = "_.~!#$%&'*+^`|"
NO_TOKEN = [" ", "\t", "\xad", "\xe2\x80\x90", "(", "@", "/", "\x00", "\x7f", ","]
MARK = "planted"


def spellings_of(name, others):
    for other in others:
        yield name.replace("-", other)
        yield name.replace("-", other, 1)
        yield name[::-1].replace("-", other, 1)[::-1]


def spellings():
    """Each spelling once, and whether a proxy may refuse it."""
    found = {}
    for name in NEVER:
        for form in [name, name.lower(), name.upper(), name.title()]:
            found.setdefault(form, False)
    for name in NEVER + STATED:
        for form in spellings_of(name, OTHERS):
            if form not in NEVER + STATED:
                # Where it comes to the judge, a field of the connection's in such a spelling is 400, as without a proxy.
                found.setdefault(form, name == "HTTP2-Settings")
    for name in NEVER:
        for form in spellings_of(name, NO_TOKEN):
            found.setdefault(form, form not in NEVER)
        for end in " \t":
            found.setdefault(name + end, True)
    return found


def folded(name):
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())


FOLDED = {folded(name) for name in NEVER}


def is_planted(name, value):
    is_other = any(not (letter.isascii() and (letter.isalnum() or letter == "-")) for letter in name)
    return MARK in value and (folded(name) in FOLDED or is_other) or is_other and folded(name) in FOLDED


def planted(request, subject):
    """What is wrong with a request that has reached the application; `subject`: whom Bearward states, if anybody."""
    faults = [f"{name}: {value}" for name, value in request["fields"] if is_planted(name, value)]
    stated = [value for name, value in request["fields"] if folded(name) == "x-auth-subject"]
    if stated != ([subject] if subject else []):
        faults.append(f"subject: {stated}")
    named = [word.strip().lower() for value in values(request["fields"], "connection") for word in value.split(",")]
    if not set(named) <= {"close", "keep-alive", "upgrade", ""}:
        faults.append(f"Connection: {named}")
    return faults


class Texts:
    """A client of HTTP/1.1 with one connection after another."""

    def __init__(self, port):
        self.port, self.reader = port, None

    def ask(self, target, lines, body=b""):
        """Status and content of the answer; None if there was none."""
        method = "POST" if body else "GET"
        request = "\r\n".join([f"{method} {target} HTTP/1.1", "Host: lab.example"] + lines) + "\r\n\r\n"
        for _ in range(2):
            is_fresh = self.reader is None
            if is_fresh:
                self.reader = Reader(connect(self.port))
            try:
                self.reader.connection.sendall(request.encode("latin-1") + body)
                line, fields = self.reader.head()
                content, _ = self.reader.content(fields)
            except (OSError, EOFError, ValueError):
                self.end()
                if is_fresh:
                    return None, b""
                continue
            status = int(line.split(" ")[1])
            if status != 200 or "close" in values(fields, "connection"):
                self.end()
            return status, content
        return None, b""

    def end(self):
        self.reader.connection.close()
        self.reader = None


class Table:
    """What was asked, and what has come of it."""

    def __init__(self, application_port, token):
        self.application_port, self.token = application_port, token
        self.report = {"asked": 0, "forwarded": 0, "refused": 0, "faults": [], "trailers": []}
        self.subject = None
        seen(application_port)

    def target(self, is_anonymous):
        """A path that no other request has."""
        self.report["asked"] += 1
        return f"/{'public' if is_anonymous else 'orders'}/{self.report['asked']}"

    def note(self, label, target, status, content, may_be_refused, is_anonymous):
        requests = [json.loads(content)] if status == 200 else [
            request for request in seen(self.application_port) if request["line"].split(" ")[1] == target]
        subject = None if is_anonymous else self.subject
        for request in requests:
            self.report["faults"] += [f"{label}: {fault}" for fault in planted(request, subject)]
            self.report["trailers"] += [f"{label}: {name}" for name, value in request["trailers"] if is_planted(name, value)]
        if status == 200:
            self.report["forwarded"] += 1
        elif may_be_refused and not requests:
            self.report["refused"] += 1
        else:
            self.report["faults"].append(f"{label}: status {status}")

    def learn(self, content):
        """Whom Bearward states for the token."""
        (self.subject,) = [value for name, value in json.loads(content)["fields"] if name.lower() == "x-auth-subject"]


def names(port, application_port, token, form):
    table = Table(application_port, token)
    if form == "sessions":
        return sessions_of_names(port, table)
    client = Texts(port)
    credentials = ["Authorization: Bearer " + token]
    table.learn(client.ask("/orders/1", credentials)[1])

    def ask(label, lines, body, may_be_refused, is_anonymous):
        target = table.target(is_anonymous)
        table.note(label, target, *client.ask(target, lines, body), may_be_refused, is_anonymous)

    if form == "fields":
        for name, may_be_refused in spellings().items():
            lines = [f"{name}: {MARK}"]
            ask(f"{name!r}, anonymous", lines, b"", may_be_refused, True)
            # Two fields with credentials are none.
            is_second = name.strip().lower() == "authorization"
            for order in [lines + credentials, credentials + lines]:
                ask(f"{name!r}", order, b"", may_be_refused or is_second, False)
    elif form == "options":
        for name in NEVER + [form for name in NEVER for form in spellings_of(name, "_~") if form != name]:
            for lines in [[f"Connection: {name}"], [f"connection: close, {name.lower()}"], ["Connection: keep-alive", f"Connection: {name.upper()}"],
                          [f"Connection: {name}", f"{name}: {MARK}"], [f"Connection: ,{name},,X-Auth-Scope"]]:
                label = " | ".join(lines)
                ask(label + ", anonymous", lines, b"", False, True)
                # Credentials that end at this hop are none for the judge.
                ask(label, lines + credentials, b"", name == "Authorization", False)
    elif form == "trailers":
        for name in [name for name, may_be_refused in spellings().items() if not may_be_refused]:
            body = f"2\r\nhi\r\n0\r\n{name}: {MARK}\r\n\r\n".encode()
            for announced in [[], ["TE: trailers", f"Trailer: {name}"]]:
                lines = announced + ["Transfer-Encoding: chunked"]
                ask(f"{name}, {announced}, anonymous", lines, body, False, True)
                ask(f"{name}, {announced}", credentials + lines, body, False, False)
    print(json.dumps(table.report))


def sessions_of_names(port, table):
    session = Session(port)
    credentials = [(b"authorization", b"Bearer " + table.token.encode())]
    table.learn(session.ask(pseudo("GET", "/orders/1") + credentials)[2])

    def ask(label, fields, trailers, may_be_refused, is_anonymous):
        target = table.target(is_anonymous)
        fields = pseudo("GET" if trailers is None else "POST", target) + ([] if is_anonymous else credentials) + fields
        status, _, content = session.ask(fields, None if trailers is None else b"hi", trailers)
        table.note(label, target, status, content, may_be_refused, is_anonymous)

    found = {name.lower(): may_be_refused for name, may_be_refused in spellings().items()}
    # Envoy takes a second to end a connection with a malformed name, so that a few must do: capitals are malformed there (RFC 9113 §8.2.1).
    refusable = [name for name, may_be_refused in found.items() if may_be_refused and folded(name.strip()) == "x-auth-subject"]
    for name in refusable + [name for name in NEVER if name != name.lower()]:
        ask(f"{name!r}, anonymous", [(name.encode("latin-1"), MARK.encode())], None, True, True)
    for name in [name for name, may_be_refused in found.items() if not may_be_refused]:
        field = (name.encode(), MARK.encode())
        ask(f"{name!r}, anonymous", [field], None, False, True)
        # Two fields with credentials are none.
        ask(f"{name!r}", [field], None, name == "authorization", False)
        # nginx takes no trailers over HTTP/2.
        ask(f"{name!r}, trailer, anonymous", [], [field], True, True)
        ask(f"{name!r}, trailer", [(b"te", b"trailers")], [field], True, False)
    for name in ["X-Auth-Subject", "upgrade", "close"]:
        ask(f"connection: {name}", [(b"connection", name.encode())], None, True, False)
    session.close()
    print(json.dumps(table.report))


# By the columns of the table in `docs/doors.md`.
TARGETS = {
    "`{`, `[` in a path": b"/public/a{b}[1]",
    "`{`, `[` in a query": b"/public/a?b={c}[1]",
    "UTF-8 in a path": "/public/\u00e9".encode(),
    "UTF-8 in a query": "/public/a?b=\u00e9".encode(),
}


def targets(port, application_port):
    report = {}
    for name, target in TARGETS.items():
        with connect(port) as connection:
            connection.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: lab.example\r\nConnection: close\r\n\r\n")
            status = Reader(connection).head()[0].split(" ")[1]
        lines = [request["line"].split(" ")[1].encode("latin-1") for request in seen(application_port)]
        if not lines:
            report[name] = status
        elif lines == [target]:
            report[name] = "unchanged"
        elif [urllib.parse.unquote_to_bytes(line) for line in lines] == [target]:
            report[name] = "escaped"
        else:
            report[name] = f"otherwise: {lines}"
    print(json.dumps(report))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
