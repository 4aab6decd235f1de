"""The grammar of HTTP/1.1 (RFC 9112): messages, mostly right, and ways to get them wrong."""

from mutations import mutate
from request import Request, any_request, forwarded

HOST = "chaos.example"


def conversation(rng, mark, tokens):
    """What one connection says, as parts; between two of them a client may wait for an answer."""
    count = rng.choices((1, 2, 3, 6), (8, 3, 2, 1))[0]
    # A request that gets through and then one that does not leave the gateway with more in hand than garbage alone.
    first = [encode(rng, forwarded(rng, mark, tokens))] if rng.random() < 0.45 else []
    return first + [message(rng, mark, tokens) for _ in range(count)]


def questions(rng, mark, tokens, door):
    """What a proxy asks at a door, or what somebody sends there who should not; often several questions at once."""
    asked = []
    for _ in range(rng.choices((1, 2, 5, 20), (6, 4, 3, 1))[0]):
        data = encode(rng, question(rng, any_request(rng, mark, tokens), door))
        asked.append(mutate(rng, data) if rng.random() < 0.5 else data)
    return asked + ([message(rng, mark, tokens)] if rng.random() < 0.2 else [])


def question(rng, request, door):
    """The request as a proxy states it, now and then with a field too few, or with those of another kind of door."""
    stated = [("x-forwarded-proto", "https"), ("x-forwarded-for", rng.choice(("192.0.2.7", "192.0.2.7, 10.0.0.1", "unix:", ",,")))]
    asked = Request(request.method, request.path, [], request.body if rng.random() < 0.2 else b"")
    if door == "nginx" or rng.random() < 0.1:
        stated += [("X-Original-Method", request.method), ("X-Original-URI", request.path), ("X-Original-Host", HOST), ("X-Original-Proto", "https")]
        asked.method, asked.path = "GET", "/"
    if rng.random() < 0.1:
        stated.pop(rng.randrange(len(stated)))
    if rng.random() < 0.1:
        stated += rng.choices(stated, k=rng.choice((1, 2, 60)))
    asked.fields = request.fields + stated
    return asked


def message(rng, mark, tokens):
    data = encode(rng, any_request(rng, mark, tokens))
    return mutate(rng, data) if rng.random() < 0.6 else data


def encode(rng, request):
    """The bytes of a request, in one of the framings that fit."""
    if request.is_websocket:
        fields = [("host", HOST), ("connection", "Upgrade"), ("upgrade", "websocket")] + request.fields
        return head(rng, request, fields) + request.body
    fields = [("host", HOST)] + request.fields
    framing = rng.choice(("length", "length", "chunked", "expected", "none"))
    if request.body and framing in ("length", "expected"):
        if framing == "expected":
            fields.append(("expect", "100-continue"))
        return head(rng, request, fields + [("content-length", str(len(request.body)))]) + request.body
    if request.body and framing == "chunked":
        return head(rng, request, fields + [("transfer-encoding", "chunked")]) + chunks(rng, request.body)
    if rng.random() < 0.1:
        fields.append(rng.choice(ODD_FIELDS))
    return head(rng, request, fields)


# What is harmless, is not spoken here, or contradicts what stands beside it.
ODD_FIELDS = (
    ("connection", "close"), ("connection", "keep-alive, x-y"), ("connection", "Upgrade, HTTP2-Settings"), ("upgrade", "h2c"),
    ("content-length", "5"), ("content-length", "0"), ("transfer-encoding", "chunked"), ("transfer-encoding", "gzip, chunked"),
    ("transfer-encoding", "identity"), ("host", "other.example"), ("expect", "200-ok"), ("trailer", "x-sum"), ("authorization", "Bearer x"),
    ("range", "bytes=0-5"), ("max-forwards", "0"), ("proxy-connection", "keep-alive"),
)  # fmt: skip


def head(rng, request, fields):
    rng.random() < 0.3 and rng.shuffle(fields)
    lines = [f"{request.method} {request.path} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields]
    return "\r\n".join(lines + ["", ""]).encode("utf-8", "surrogateescape")


def chunks(rng, body):
    """The body in chunks (RFC 9112 section 7.1), some with extensions, perhaps with trailers."""
    parts = []
    while body:
        size = rng.randrange(1, 2 * len(body)) if rng.random() < 0.8 else 1
        part, body = body[:size], body[size:]
        extension = b";a=b" if rng.random() < 0.1 else b""
        parts.append(b"%x%s\r\n%s\r\n" % (len(part), extension, part))
        if len(parts) > 20:
            parts.append(b"%x\r\n%s\r\n" % (len(body), body) if body else b"")
            break
    trailers = b"x-sum: 1\r\n" if rng.random() < 0.2 else b""
    return b"".join(parts) + b"0\r\n" + trailers + b"\r\n"
