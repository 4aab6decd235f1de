"""The good traffic: a few clients that keep to the rules, each of whose requests must get its answer while chaos goes on beside it."""

import asyncio
import itertools
import signal
import ssl

import http2
from request import Request, masked_frame

# Past this an answer counts as a hang.
PATIENCE = 10
# Between two requests of one client, in seconds.
PAUSE = 0.04
# Requests on one connection.
CONNECTION_LENGTH = 100
BODY = b"good" * 500
# Failures that are told one by one.
MOST_TOLD = 10


# How often in a row a request may be asked again because its connection ended before the first byte of an answer.
MOST_ENDS = 3
# An error code of RST_STREAM: the request was not processed.
REFUSED_STREAM = 7


class Failure(Exception):
    """What a good request got in place of its answer."""


class Ended(Exception):
    """The gateway ended the connection before it answered anything, as one that drains may; the request may be asked again."""


def good_requests(tokens, name):
    """Requests without end, each with what its answer must be."""
    bearer = itertools.cycle([("authorization", "Bearer " + token) for token in tokens["good"]])
    for number in itertools.count():
        mark = f"{name}-{number}"
        for place, fields in (("api", [next(bearer)]), ("open", []), ("inner", [])):
            yield Request("GET", f"/{place}/echo/{mark}", list(fields)), b"<%s:0>" % mark.encode()
            yield Request("POST", f"/{place}/echo/{mark}", list(fields), BODY), b"<%s:%d>" % (mark.encode(), len(BODY))
        yield Request("GET", f"/api/large/{mark}", [next(bearer)]), None


class HTTP1:
    """A client of HTTP/1.1 with one connection."""

    # Whether the gateway said that no further request is answered on the connection.
    is_last = False

    def __init__(self, port, tls):
        self.port, self.tls = port, tls

    async def open(self):
        self.is_last = False
        name = "localhost" if self.tls else None
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.tls, server_hostname=name)

    async def ask(self, request):
        lines = [f"{request.method} {request.path} HTTP/1.1", "host: chaos.example"] + [f"{name}: {value}" for name, value in request.fields]
        if request.body:
            lines.append(f"content-length: {len(request.body)}")
        self.writer.write("\r\n".join(lines + ["", ""]).encode() + request.body)
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as end:
            raise Failure(f"the answer ended in its head: {end.partial}") if end.partial else Ended
        self.is_last = b"\r\nconnection: close\r\n" in head.lower()
        length = head.lower().partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0]
        body = await self.reader.readexactly(int(length or 0))
        if not head.startswith(b"HTTP/1.1 200 "):
            raise Failure(head.split(b"\r\n")[0].decode() + " " + body[:200].decode(errors="replace"))
        return body

    async def close(self):
        self.writer.close()
        # Peers differ in how they end TLS.
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


class HTTP2(HTTP1):
    """A client of HTTP/2 with one connection and one stream at a time."""

    async def open(self):
        await super().open()
        self.stream, self.is_last = -1, False
        # No dynamic table, so that a status of 200 is one known byte; windows that are never used up.
        opening = http2.settings((1, 0), (2, 0), (4, http2.LARGEST_WINDOW)) + http2.window_update(0, http2.LARGEST_WINDOW - 65_535)
        self.writer.write(http2.PREFACE + opening)

    async def ask(self, request):
        self.stream += 2
        self.writer.write(b"".join(http2.message(self.stream, request)))
        body, ends, has_begun = bytearray(), False, False
        while not ends:
            try:
                head = await self.reader.readexactly(9)
            except asyncio.IncompleteReadError:
                if has_begun:
                    raise
                raise Ended from None
            payload = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            if kind in (http2.SETTINGS, http2.PING) and not flags & http2.ACK:
                self.writer.write(http2.frame(kind, http2.ACK, 0, payload if kind == http2.PING else b""))
            elif kind == http2.GOAWAY and int.from_bytes(payload[4:8], "big") == 0:
                # Without an error: what is under way is answered, what came later is not (RFC 9113 §6.8).
                self.is_last = True
                if int.from_bytes(payload[:4], "big") < self.stream:
                    raise Ended
            elif kind == http2.RST_STREAM and stream == self.stream and int.from_bytes(payload, "big") == REFUSED_STREAM:
                raise Ended
            elif kind in (http2.RST_STREAM, http2.GOAWAY):
                raise Failure(f"{'RST_STREAM' if kind == http2.RST_STREAM else 'GOAWAY'} {payload.hex()}")
            elif kind == http2.HEADERS and stream == self.stream:
                has_begun = True
                # Updates of the table's size may stand before it.
                if payload.lstrip(bytes(range(0x20, 0x40)))[:1] != b"\x88":
                    raise Failure(f"HEADERS {payload.hex()}")
                ends = bool(flags & http2.END_STREAM)
            elif kind == http2.DATA and stream == self.stream:
                body += payload
                ends = bool(flags & http2.END_STREAM)
        return bytes(body)


class Door(HTTP1):
    """A proxy that asks at the door of nginx about each request, and is to be permitted all of them."""

    async def ask(self, request):
        stated = [("X-Original-Method", request.method), ("X-Original-URI", request.path), ("X-Original-Host", "chaos.example"),
                  ("X-Original-Proto", "https"), ("X-Forwarded-For", "192.0.2.7")]  # fmt: skip
        await super().ask(Request("GET", "/", request.fields + stated))


class WebSocket(HTTP1):
    """A client that sends a frame with each request, and wants it back."""

    async def open(self):
        await super().open()
        self.writer.write(
            b"GET /open/websocket/good HTTP/1.1\r\nhost: chaos.example\r\nconnection: Upgrade\r\nupgrade: websocket\r\n"
            b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        head = await self.reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            raise Failure(head.split(b"\r\n")[0].decode())

    async def ask(self, request):
        content = request.path.encode()
        self.writer.write(masked_frame(0x81, content, b"mask"))
        answer = await self.reader.readexactly(2)
        # A tunnel has no end of its own that a gateway could wait for when it drains: close frame, and 1001.
        if answer[0] == 0x88 and (await self.reader.readexactly(2)) == b"\x03\xe9":
            raise Ended
        answer += await self.reader.readexactly(len(content))
        if answer != bytes((0x81, len(content))) + content:
            raise Failure(f"frame {answer.hex()}")
        return None


def clients(stand):
    """One client for each way to speak to the gateway."""

    def secure(*offered):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(list(offered))
        return context

    ports = stand.ports
    return {
        "http1": HTTP1(ports["plain"], None),
        "http1-both": HTTP1(ports["plain-both"], None),
        "http1-tls": HTTP1(ports["tls-both"], secure("http/1.1")),
        "h2c": HTTP2(ports["plain-both"], None),
        "h2c-only": HTTP2(ports["plain-h2c"], None),
        "h2-tls": HTTP2(ports["tls-both"], secure("h2")),
        "websocket": WebSocket(ports["plain"], None),
        "door": Door(ports["door-nginx"], None),
    }


async def keep_asking(name, client, requests, counts, failures, stop, may_end):
    again, ends = [], 0
    while not stop.is_set():
        request = None
        try:
            await asyncio.wait_for(client.open(), PATIENCE)
            for request, expected in itertools.islice(itertools.chain(again, requests), CONNECTION_LENGTH):
                again = [(request, expected)]
                body = await asyncio.wait_for(client.ask(request), PATIENCE)
                again, ends = [], 0
                if expected is not None and body is not None and body != expected:
                    raise Failure(f"{body[:100]} in place of {expected}")
                counts[0] += 1
                if stop.is_set() or may_end and client.is_last:
                    break
                await asyncio.sleep(PAUSE)
        except (Ended, ConnectionError) as end:
            ends += 1
            if may_end and ends <= MOST_ENDS:
                counts[2] += 1
            else:
                again, ends = [], 0
                counts[1] += 1
                if counts[1] <= MOST_TOLD:
                    failures.put(f"{name}: {request.method if request else ''} {request.path if request else 'a connection'}: {end!r}")
        except (Failure, OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError) as failure:
            again, ends = [], 0
            counts[1] += 1
            asked = f"{request.method} {request.path}" if request else "a connection"
            if counts[1] <= MOST_TOLD:
                failures.put(f"{name}: {asked}: {type(failure).__name__} {failure}")
            await asyncio.sleep(PAUSE)
        if hasattr(client, "writer"):
            await asyncio.wait([asyncio.ensure_future(client.close())], timeout=PATIENCE)


def ask(stand, counts, failures, stop):
    """The process of the good traffic: counts what was answered and what was not, and says what it got instead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def run():
        await asyncio.gather(*(
            keep_asking(name, client, good_requests(stand.tokens, name), counts, failures, stop, bool(stand.disturbance)) for name, client in clients(stand).items()
        ))  # fmt: skip

    asyncio.run(run())
