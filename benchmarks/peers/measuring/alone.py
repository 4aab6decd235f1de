"""The gateway alone, for what is counted and not timed: its configuration, and an upstream whose answers never differ."""

import itertools
import os
import socket
import threading

from measuring import h2load
from measuring.tokens import SCOPE, Issuer

# Bearward's own fields are added and taken away as in life.
IDENTITY = "{identity: {subject: X-Subject, scopes: X-Scopes, client: X-Client}}"
RESPONSE = b"HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

# What a file of `--shadow` has for the requests.
SHADOWS = {
    "same": "of the same rules",
    "changed": "with another requirement",
    "rule": "with a rule of its own",
    "place": "with more places",
}


class Alone:
    """What a contender's configuration is written into, as a `World` is for the peers."""

    def __init__(self, directory, binary):
        self.directory, self.issuer, self.bearward, self.options = directory, Issuer(directory), binary, self
        self.upstream_port = answering()

    def file(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path


def beside(shadow, file):
    """A file beside the one in force that lets the request in as well; what differs for it is in `SHADOWS`."""
    text = file.read_text()
    other = file.with_suffix(".shadow.yaml")
    asked = f"{{any_of: [{SCOPE}, other:scope]}}"
    if shadow != "same":
        text = text.replace(f": {SCOPE}", f": {asked}")
    if shadow == "rule":
        text = text.replace("    rules:\n", f"    rules:\n      GET /**: {asked}\n")
    if shadow == "place":
        text = text.replace("at: [/api]", "at: [/api, /api/more]")
    other.write_text(text)
    return ["--shadow", other]


def answering():
    """An upstream that answers every request at once and alike; its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pending = b""
        while received := connection.recv(65536):
            pending += received
            while (end := pending.find(b"\r\n\r\n")) >= 0:
                pending = pending[end + 4:]
                connection.sendall(RESPONSE)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def one_by_one(program, token, count, is_http2, refused=False, of_page=False, **request):
    """Sends so many requests over one connection, each when the one before is answered; of a page, they state its origin."""
    arguments = ["-c1", "-m1", "-n", count, *([] if is_http2 else ["--h1"])]
    if of_page:
        arguments += ["-H", "Origin: https://app.example.com"]
    h2load.finish(h2load.start(program, token, os.sched_getaffinity(0), arguments, **request), refused)


def in_turn(program, tokens, count, refused=False):
    """Sends so many requests over one connection, each with the next of the tokens, when the one before is answered."""
    expected = b"HTTP/1.1 403 " if refused else b"HTTP/1.1 200 "
    with socket.create_connection(("127.0.0.1", program.port)) as connection, connection.makefile("rb") as answers:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for token in itertools.islice(tokens, count):
            connection.sendall(b"GET /api/orders/7 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token.encode() + b"\r\n\r\n")
            status, length = answers.readline(), 0
            while (line := answers.readline()) != b"\r\n":
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            answers.read(length)
            if not status.startswith(expected):
                raise h2load.LoadFailed(f"the answer was {status!r}")
