"""The upstream: answers as the path says, well or badly, and counts the connections of chaos that came through to it."""

import asyncio
import base64
import hashlib
import logging
import os
import random
import re
import signal
import socket
import struct

from request import masked_frame

LARGE = b"x" * 200_000
EVENTS = 4
EVENT_PAUSE = 0.05
SLOWNESS = 0.03
# Connections that one process of the load may number.
MOST_NUMBERS = 20_000_000


class Reached:
    """Which connections came through, each counted once: `cWORKER-NUMBER` is the last part of their paths."""

    def __init__(self, counter):
        self.counter = counter
        self.seen = {}

    def note(self, path):
        worker, _, number = path[path.rfind(b"/") + 1 :].partition(b"-")
        if not re.fullmatch(rb"c\d{1,3}", worker) or not re.fullmatch(rb"\d{1,8}", number) or int(number) >= MOST_NUMBERS:
            return
        bits, index = self.seen.setdefault(int(worker[1:]), bytearray()), int(number)
        if len(bits) <= index >> 3:
            bits.extend(bytes((index >> 3) + 4096 - len(bits)))
        if not bits[index >> 3] >> (index & 7) & 1:
            bits[index >> 3] |= 1 << (index & 7)
            self.counter.value += 1


# When a WebSocket is torn after it was accepted, in seconds.
TEARS = (0, 0.001, 0.005)


class Answerer(asyncio.Protocol):
    """One connection of the gateway's."""

    def __init__(self, reached):
        self.reached = reached
        self.received = bytearray()
        self.is_busy = False
        self.is_websocket = False

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, error):
        self.transport = None

    def data_received(self, data):
        self.received += data
        self.look()

    def look(self):
        while self.transport is not None and not self.is_busy:
            if self.is_websocket:
                if not self.echo_frame():
                    return
            elif not self.take_request():
                return

    def take_request(self):
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(self.received[:end])
        lower = head.lower()
        method, path, _ = head.split(b"\r\n", 1)[0].split(b" ", 2)
        behaviour = path.split(b"/")[2:3]
        size = self.body(lower, end + 4)
        if size is None and behaviour != [b"early"]:
            return False
        length, past = size or (0, len(self.received))
        del self.received[:past]
        self.reached.note(path.partition(b"?")[0])
        self.answer(method, path, lower, behaviour[0].decode("latin-1") if behaviour else "", length)
        return True

    def body(self, head, start):
        """The length of a whole body and the index past it; nil while more is to come."""
        if b"\r\ntransfer-encoding: chunked" in head:
            length, index = 0, start
            while (end := self.received.find(b"\r\n", index)) >= 0:
                size = int(self.received[index:end].partition(b";")[0], 16)
                if size == 0:
                    past = self.received.find(b"\r\n\r\n", end)
                    return None if past < 0 else (length, past + 4)
                length, index = length + size, end + 2 + size + 2
            return None
        _, found, rest = head.partition(b"\r\ncontent-length: ")
        length = int(rest.partition(b"\r\n")[0]) if found else 0
        return (length, start + length) if len(self.received) >= start + length else None

    def answer(self, method, path, head, behaviour, length):
        mark = path[path.rfind(b"/") + 1 :]
        content = b"<%s:%d>" % (mark, length)
        whole = self.whole(content, method)
        act = getattr(self, "do_" + behaviour, None)
        if act is None or b"/faulty/" not in path and behaviour in FAULTS:
            self.transport.write(whole)
        else:
            act(method, head, whole, content)

    @staticmethod
    def whole(content, method, fields=b""):
        return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n%s\r\n%s" % (len(content), fields, b"" if method == b"HEAD" else content)

    def later(self, seconds, act):
        """Does something in a while; until then no other request is taken."""
        self.is_busy = True

        def resume():
            if self.transport is not None:
                act()
                self.is_busy = False
                self.look()

        asyncio.get_running_loop().call_later(seconds, resume)

    # MARK: What is asked for by the path

    def do_large(self, method, head, whole, content):
        self.transport.write(self.whole(content + LARGE, method))

    def do_slow(self, method, head, whole, content):
        self.later(SLOWNESS, lambda: self.transport.write(whole))

    def do_early(self, method, head, whole, content):
        """Answers without having read the body, and ends."""
        self.transport.write(self.whole(content, method, b"connection: close\r\n"))
        self.transport.close()

    def do_chunked(self, method, head, whole, content):
        self.transport.write(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        if method != b"HEAD":
            self.transport.write(b"%x\r\n%s\r\n3;x=y\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n" % (len(content), content))

    def do_events(self, method, head, whole, content):
        self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        if method != b"HEAD":
            self.event(EVENTS)

    def event(self, left):
        self.transport.write(b"d\r\ndata: event\n\n\r\n" if left else b"0\r\n\r\n")
        if left:
            self.later(EVENT_PAUSE, lambda: self.event(left - 1))

    def do_websocket(self, method, head, whole, content):
        _, found, rest = head.partition(b"\r\nsec-websocket-key: ")
        if not found or b"\r\nupgrade: websocket" not in head:
            self.transport.write(whole)
            return
        self.is_websocket = True
        self.transport.write(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n")
        # The head was made lower case to be looked at; the key that everybody here sends is not.
        key = self.keys.get(rest.partition(b"\r\n")[0], b"")
        self.transport.write(b"sec-websocket-accept: " + base64.b64encode(hashlib.sha1(key).digest()) + b"\r\n\r\n")

    def do_torn(self, method, head, whole, content):
        """Switches to WebSocket, and resets the connection while its client sends; an ordinary answer is left alone."""
        self.do_websocket(method, head, whole, content)
        if self.is_websocket:
            self.later(random.choice(TEARS), lambda: self.do_reset(method, head, whole, content))

    keys = {b"dghlihnhbxbszsbub25jzq==": b"dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"}

    def echo_frame(self):
        """Sends one frame back, unmasked; ends with a close frame, or with what is no frame."""
        data = self.received
        if len(data) < 2:
            return False
        size, start = data[1] & 0x7F, 6
        if size == 126:
            if len(data) < 4:
                return False
            size, start = int.from_bytes(data[2:4], "big"), 8
        if size == 127 or not data[1] & 0x80:
            self.transport.close()
            return False
        if len(data) < start + size:
            return False
        content = masked_frame(data[0], data[start : start + size], data[start - 4 : start])[-size:] if size else b""
        opcode = data[0] & 0x0F
        length = bytes((size,)) if size < 126 else b"\x7e" + size.to_bytes(2, "big")
        self.transport.write(bytes((data[0] & 0x8F,)) + length + content)
        del data[: start + size]
        if opcode == 8:
            self.transport.close()
        return opcode != 8

    # MARK: Faults, of `/faulty` alone

    def do_close(self, method, head, whole, content):
        self.transport.close()

    def do_reset(self, method, head, whole, content):
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def do_half(self, method, head, whole, content):
        self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-le")
        self.transport.close()

    def do_short(self, method, head, whole, content):
        self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + content)
        self.transport.close()

    def do_garbage(self, method, head, whole, content):
        self.transport.write(os.urandom(300))
        self.transport.close()

    def do_surplus(self, method, head, whole, content):
        self.transport.write(whole + b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<none>")

    def do_silent(self, method, head, whole, content):
        self.later(2, lambda: self.transport.close())


FAULTS = ("close", "reset", "half", "short", "garbage", "surplus", "silent")


def serve(listener, counter):
    """Serves until it is told to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # That a gateway went away in the middle of an answer is what happens here all the time.
    logging.getLogger("asyncio").setLevel(logging.ERROR)

    async def run():
        loop, reached, end = asyncio.get_running_loop(), Reached(counter), asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, end.set)
        server = await loop.create_server(lambda: Answerer(reached), sock=listener, backlog=4096)
        await end.wait()
        server.close()

    asyncio.run(run())
