"""WebSockets through the gateway, by the package `websockets` at both ends.

`websocket_talk.py PORT_FILE` serves an echo; `websocket_talk.py PORT CA GOOD SHORT ECHO_PORT` talks to it through the gateway.
"""
import asyncio
import ssl
import sys
import time

import websockets
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve


async def echo(socket):
    assert "Authorization" not in socket.request.headers, socket.request.headers
    await socket.send("hello " + socket.request.headers.get("X-Auth-Subject", "nobody"))
    try:
        async for message in socket:
            await socket.send(message)
    except websockets.ConnectionClosed:
        pass
    print("closed", socket.close_code, socket.close_reason, flush=True)


async def server(port_file):
    async with serve(echo, "127.0.0.1", 0, max_size=None) as running:
        with open(port_file, "w") as file:
            file.write(str(running.sockets[0].getsockname()[1]))
        await asyncio.get_running_loop().create_future()


def frame(first, payload=b"", masked=True, length=None):
    """A frame with this first byte; the mask leaves the payload as it is. `length`: another form of the length, with its marker."""
    if length is None:
        count = len(payload)
        length = (bytes([count]) if count < 126 else b"\x7e" + count.to_bytes(2, "big") if count < 65536
                  else b"\x7f" + count.to_bytes(8, "big"))
    return bytes([first, length[0] | (0x80 if masked else 0)]) + length[1:] + (bytes(4) if masked else b"") + payload


CLOSE = frame(0x88, b"\x03\xe8")
FRAMES = {
    "text": frame(0x81, b"hello") + CLOSE,
    "empty messages": frame(0x81) + frame(0x82) + CLOSE,
    "pieces with a ping between": frame(0x01, b"a") + frame(0x89, b"p") + frame(0x00, b"b") + frame(0x80, b"c") + CLOSE,
    "binary of 100,000 bytes": frame(0x82, bytes(100_000)) + CLOSE,
    "a pong that nobody asked for": frame(0x8A, b"x") + CLOSE,
    "a close without a status": frame(0x88),
    "a close with a status and a reason": frame(0x88, b"\x0f\xa1bye"),
    "a close of one byte": frame(0x88, b"x"),
    **{f"a close with {status}": frame(0x88, status.to_bytes(2, "big")) for status in [0, 999, 1004, 1005, 1006, 1016, 2999, 3000, 65535]},
    "a close with a reason that is no UTF-8": frame(0x88, b"\x03\xe8\xff"),
    "text that is no UTF-8": frame(0x81, b"\xed\xa0\x80"),
    "text that ends within a character": frame(0x81, b"\xc3") + CLOSE,
    "no mask": frame(0x81, b"hello", masked=False),
    **{f"reserved bit {bit:#x}": frame(0x81 | bit, b"x") for bit in [0x40, 0x20, 0x10]},
    **{f"reserved opcode {code:#x}": frame(0x80 | code) for code in [3, 7, 11, 15]},
    "a ping that is too long": frame(0x89, bytes(126)),
    "a ping in pieces": frame(0x09, b"x"),
    "a piece that continues nothing": frame(0x80, b"x"),
    "a message within another": frame(0x01, b"a") + frame(0x81, b"b"),
    "a length in a longer form": frame(0x81, b"abc", length=b"\x7e\x00\x03") + CLOSE,
    "bytes behind the close": CLOSE + frame(0x81, b"late"),
}


async def transcript(port, tls, token, frames):
    """What comes back for frames, up to the end of the connection, without the first message."""
    reader, writer = await asyncio.open_connection("localhost" if tls else "127.0.0.1", port, ssl=tls)
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    writer.write((
        f"GET /chat HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{authorization}"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 "), head
    first = await reader.readexactly(2)
    await reader.readexactly(first[1])
    writer.write(frames)
    try:
        received = await asyncio.wait_for(reader.read(-1), 20)
    finally:
        writer.close()
    return received


async def compare(port, tls, token, echo_port):
    """Every frame, lawful or not, has the same answer through the gateway as without it."""
    for name, frames in FRAMES.items():
        direct = await transcript(echo_port, None, None, frames)
        through = await transcript(port, tls, token, frames)
        assert direct == through, (name, direct[:200], through[:200])


async def main(port, ca, good, short, echo_port):
    url = f"wss://localhost:{port}/chat"
    tls = ssl.create_default_context(cafile=ca)

    def open(token):
        headers = {"Authorization": "Bearer " + token} if token else {}
        return connect(url, ssl=tls, additional_headers=headers, max_size=None)

    for token, status in [(None, 401), ("x.y.z", 401)]:
        try:
            async with open(token):
                raise AssertionError("it was let in")
        except websockets.InvalidStatus as refusal:
            assert refusal.response.status_code == status, refusal.response
            assert "WWW-Authenticate" in refusal.response.headers

    async with open(good) as socket:
        assert await socket.recv() == "hello user-1"
        for message in ["one", "", "ü" * 5000, b"\x00\xff" * 300_000]:
            await socket.send(message)
            assert await socket.recv() == message
        await (await socket.ping())
        many = [f"message {number}" for number in range(500)]
        sending = asyncio.gather(*[socket.send(message) for message in many])
        assert [await socket.recv() for _ in many] == many
        await sending
        await socket.close(4001, "enough")
        assert socket.close_code == 4001, socket.close_code

    async with open(short) as socket:
        assert await socket.recv() == "hello user-1"
        began = time.monotonic()
        try:
            while True:
                await socket.send("still there")
                await socket.recv()
                await asyncio.sleep(0.05)
        except websockets.ConnectionClosed as ended:
            assert ended.rcvd is not None and ended.rcvd.code == 1008, ended
            assert ended.rcvd.reason == "The access token expired", ended
        assert time.monotonic() - began < 15
    await compare(int(port), tls, good, int(echo_port))
    print("all sockets as they should be")


if __name__ == "__main__":
    asyncio.run(server(sys.argv[1]) if len(sys.argv) == 2 else main(*sys.argv[1:]))
