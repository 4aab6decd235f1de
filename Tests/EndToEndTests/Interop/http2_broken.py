"""Connections of HTTP/2 that open a stream and break it, or the connection, in the same segment.

Usage: http2_broken.py PORT clear|tls COUNT: so many connections of each kind, one after another, each until the gateway has said that
stream or connection is over.
"""
import socket
import ssl
import struct
import sys

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RESET, PING, GOAWAY, WINDOW_UPDATE = 1, 3, 6, 7, 8


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def head(stream, ends=False):
    fields = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/api/status"), (b":authority", b"a"))
    block = b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in fields)
    return frame(HEADERS, 5 if ends else 4, stream, block)


KINDS = {
    "a ping on a stream": head(1, True) + frame(PING, 0, 1, bytes(8)),
    "a window that opens by nothing": head(1) + frame(WINDOW_UPDATE, 0, 1, bytes(4)),
    "a window that overflows": head(1) + frame(WINDOW_UPDATE, 0, 1, b"\x7f\xff\xff\xff"),
    "more padding than payload": head(1) + frame(0, 8, 1, b"\xff\0"),
    "a second head": head(1, True) + head(1),
    "a lower stream": head(3) + head(1),
}


def is_over(data):
    while len(data) >= 9:
        length = int.from_bytes(data[:3], "big")
        if data[3] in (RESET, GOAWAY):
            return True
        data = data[9 + length:]
    return False


def main(port, how, count):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    for name, bytes_sent in KINDS.items():
        for _ in range(int(count)):
            connection = socket.create_connection(("127.0.0.1", int(port)), timeout=20)
            if how == "tls":
                connection = context.wrap_socket(connection, server_hostname="localhost")
            connection.sendall(PREFACE + frame(4, 0, 0) + bytes_sent)
            received = b""
            while not is_over(received):
                part = connection.recv(65536)
                assert part, f"{name}: the connection ended without a word: {received}"
                received += part
            connection.close()
    print("all as they should be")


if __name__ == "__main__":
    main(*sys.argv[1:])
