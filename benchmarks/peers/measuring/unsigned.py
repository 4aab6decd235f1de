"""Tokens of the largest size that cost most to refuse, which nobody signed."""

import base64
import re
import socket

# `limits.authorization`, which is all that bounds a token's claims.
LARGEST = 16 * 1024
HEADER = b'{"alg":"RS256","kid":"rs256","typ":"at+jwt"}'
SIGNATURE = bytes(1) + bytes([7]) * 255


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def filled(item, opening=b"[", closing=b"]", separator=b",", behind=b"}", issuer=b"https://issuer.example"):
    """A token whose claims repeat an item as often as it fits. A `%04d` in the item becomes another number each time."""
    begin = b'{"iss":"%s","x":%s' % (issuer, opening)
    room = (LARGEST - 2 - len(encoded(HEADER)) - len(encoded(SIGNATURE))) * 3 // 4 - len(begin) - len(closing) - len(behind)
    count = (room + len(separator)) // (len(numbered(item, 0)) + len(separator))
    claims = begin + separator.join(numbered(item, number) for number in range(count)) + closing + behind
    token = b".".join(map(encoded, (HEADER, claims, SIGNATURE)))
    assert LARGEST - 512 < len(token) <= LARGEST, len(token)
    return token.decode()


def numbered(item, number):
    return item % number if b"%" in item else item


def nested(depth):
    return b"[" * depth + b"]" * depth


# Items of JSON that cost much for each byte: a parser, or what is stricter than the parser.
ITEMS = {
    "brackets": b"[]", "nested brackets": nested(13), "brackets as deep as they may be": nested(61), "objects": b"{}",
    "objects with a member": b'{"":0}', "texts": b'""', "integers": b"0", "minus zeros": b"-0", "minus zeros in brackets": b"[-0]",
    "integers beyond 64 bits": b"9" * 19,
}


def kinds():
    """Tokens by what they are full of; the most expensive of them in every way of being refused."""
    found = {name: filled(item) for name, item in ITEMS.items()}
    for value in [b"0", b"{}", b"null", b"-0"]:
        found[f"members of {value.decode()}"] = filled(b'"%04d":' + value, b"{", b"}")
    found["audiences"] = filled(b'""', b'0,"aud":[')
    found["escapes"] = filled(rb"\u0001", b'"', b'"', b"")
    for name in ["nested brackets", "objects", "integers", "minus zeros"]:
        found[f"{name}, of an issuer that is not trusted"] = filled(ITEMS[name], issuer=b"https://others.example")
        found[f"{name}, and bytes behind the object"] = filled(ITEMS[name], behind=b"}x")
        found[f"{name}, and `iss` twice"] = filled(ITEMS[name], behind=b',"iss":0}')
    return found


class Asking:
    """One connection over which requests are refused."""

    def __init__(self, port):
        self.socket, self.received = socket.create_connection(("127.0.0.1", port), timeout=300), b""

    def refused(self, token):
        """Sends one request, and reads its answer to the end."""
        self.socket.sendall(f"GET /api/orders/7 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        head = self.until(b"\r\n\r\n")
        assert b" 401 " in head.split(b"\r\n")[0], head
        length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        while len(self.received) < length:
            self.receive()
        self.received = self.received[length:]

    def until(self, end):
        while end not in self.received:
            self.receive()
        head, _, self.received = self.received.partition(end)
        return head

    def receive(self):
        more = self.socket.recv(65536)
        assert more, "the gateway closed the connection"
        self.received += more
