"""Requests as both versions of HTTP say them: what is asked, with which token, with which body."""

from dataclasses import dataclass, field

# Where the gateway's file has its resources, and what the upstream does behind each.
HEALTHY = ("echo", "echo", "echo", "echo", "large", "chunked", "slow", "events", "early")
FAULTY = ("close", "reset", "half", "short", "garbage", "surplus", "silent")


@dataclass
class Request:
    """One request, not yet in the bytes of either version."""

    method: str
    path: str
    fields: list = field(default_factory=list)
    body: bytes = b""
    is_websocket: bool = False


def any_request(rng, mark, tokens):
    """A well-formed request of some kind; more than half of them are to be forwarded."""
    kind = rng.choices((forwarded, refused, websocket, grpc), (12, 3, 2, 2))[0]
    return kind(rng, mark, tokens)


def forwarded(rng, mark, tokens):
    """A request that reaches an upstream, unless its connection is cut off before."""
    place = rng.choice(("api", "api", "open", "open", "inner", "faulty"))
    behaviour = rng.choice(FAULTY if place == "faulty" else HEALTHY)
    request = Request(rng.choice(("GET", "GET", "GET", "HEAD", "POST", "PUT")), f"/{place}/{behaviour}/{mark}")
    if place == "api":
        request.fields.append(("authorization", "Bearer " + rng.choice(tokens["good"])))
    if request.method in ("POST", "PUT"):
        request.body = body(rng)
    add_fields(rng, request)
    return request


def refused(rng, mark, tokens):
    """A request that the gateway answers itself: no token, a bad one, no resource, too much of something."""
    request = Request(rng.choice(("GET", "POST", "DELETE")), f"/api/echo/{mark}")
    kind = rng.choice(("none", "bad", "bad", "malformed", "query", "path", "fields", "target", "nowhere"))
    if kind == "bad":
        request.fields.append(("authorization", "Bearer " + rng.choice(tokens["bad"])))
    elif kind == "malformed":
        request.fields.append(("authorization", rng.choice(("Bearer", "Bearer a b", "Basic Zm9v", "bearer ..", "Bearer =="))))
    elif kind == "query":
        request.path += "?access_token=" + rng.choice(tokens["good"])
    elif kind == "path":
        request.path = rng.choice(("/api/../open/x", "/api//x", "/api/%2F", "/api;a=b", "/api/%zz", "*", "/api/\u00e9"))
    elif kind == "fields":
        request.fields += [(f"x-field-{number}", "v" * rng.randrange(1, 300)) for number in range(rng.randrange(50, 160))]
    elif kind == "target":
        request.path += "/" + "t" * rng.randrange(4000, 12000)
    elif kind == "nowhere":
        request.path = f"/nowhere/{mark}"
    if request.method == "POST":
        request.body = body(rng)
    return request


def websocket(rng, mark, tokens):
    """A handshake that is accepted, and the first frames behind it."""
    fields = [("sec-websocket-version", "13"), ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")]
    if rng.random() < 0.3:
        fields.append(("sec-websocket-protocol", "chat, superchat"))
    # Some are torn by the upstream while their frames are sent.
    place, count = rng.choice((("websocket", 5), ("torn", 40)))
    frames = b"".join(websocket_frame(rng) for _ in range(rng.randrange(0, count)))
    return Request("GET", f"/open/{place}/{mark}", fields, frames, is_websocket=True)


def websocket_frame(rng):
    """A frame of a client (RFC 6455 section 5.2), masked as it has to be, or not."""
    content = rng.randbytes(rng.choice((0, 1, 5, 125, 126, 2000)))
    opcode = rng.choice((0x81, 0x82, 0x89, 0x8A, 0x88, 0x01, 0x80, 0x83, 0xF1))
    return masked_frame(opcode, content, rng.randbytes(4)) if rng.random() < 0.9 else bytes((opcode, 0)) + content


def masked_frame(opcode, content, mask):
    size = len(content)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return bytes((opcode,)) + length + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(content))


def grpc(rng, mark, tokens):
    """A call of gRPC: one message, trailers wanted, sometimes a deadline."""
    message = rng.randbytes(rng.randrange(0, 200))
    request = Request("POST", f"/api/echo/{mark}", [("content-type", "application/grpc"), ("te", "trailers")])
    request.body = b"\0" + len(message).to_bytes(4, "big") + message
    if rng.random() < 0.8:
        request.fields.append(("authorization", "Bearer " + rng.choice(tokens["good"])))
    if rng.random() < 0.5:
        request.fields.append(("grpc-timeout", rng.choice(("1S", "50m", "1n", "99999999H", "0S", "x"))))
    return request


def body(rng):
    return rng.randbytes(rng.choices((0, 1, 40, 3000, 20_000, 70_000), (2, 3, 8, 4, 1, 1))[0])


def add_fields(rng, request):
    """Fields that somebody on the way looks at."""
    for name, value in (
        ("accept", "*/*"), ("user-agent", "chaos"), ("te", "trailers"), ("x-forwarded-for", "10.0.0.1"), ("cookie", "a=b; c=d"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), ("x-request-id", "a" * rng.randrange(1, 80)),
        ("x-padding", "p" * rng.randrange(1, 6000)),
    ):  # fmt: skip
        if rng.random() < 0.15:
            request.fields.append((name, value))
