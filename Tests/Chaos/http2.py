"""The grammar of HTTP/2 (RFC 9113) and of its field sections (RFC 7541): frames, mostly right, and ways to get them wrong."""

from mutations import mutate
from request import any_request, forwarded

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITIZED = 0x1, 0x1, 0x4, 0x8, 0x20
LARGEST_WINDOW = 2**31 - 1
# The largest frame that everybody takes (section 4.2).
LARGEST_FRAME = 16_384


# MARK: Frames


def frame(kind, flags, stream, payload=b"", length=None):
    """A frame; `length` is what its head claims if that is not the truth."""
    length = len(payload) if length is None else length
    return length.to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def settings(*pairs):
    return frame(SETTINGS, 0, 0, b"".join(number.to_bytes(2, "big") + value.to_bytes(4, "big") for number, value in pairs))


def window_update(stream, increment):
    return frame(WINDOW_UPDATE, 0, stream, increment.to_bytes(4, "big"))


def rst_stream(stream, code=8):
    return frame(RST_STREAM, 0, stream, code.to_bytes(4, "big"))


def ping(content=b"12345678", stream=0):
    return frame(PING, 0, stream, content)


def data(stream, content, ends):
    parts = [content[start : start + LARGEST_FRAME] for start in range(0, len(content), LARGEST_FRAME)] or [b""]
    last = len(parts) - 1
    return [frame(DATA, END_STREAM if ends and number == last else 0, stream, part) for number, part in enumerate(parts)]


# MARK: Field sections

METHODS = {"GET": b"\x82", "POST": b"\x83"}
# Names of the static table that requests need; others are written out.
STATIC_NAMES = {":authority": 1, ":method": 2, ":path": 4, "authorization": 23, "content-length": 28, "content-type": 31, "te": None}


def integer(value, prefix, first=0):
    """An integer in a prefix of so many bits (RFC 7541 section 5.1)."""
    limit = (1 << prefix) - 1
    if value < limit:
        return bytes((first | value,))
    rest, value = [first | limit], value - limit
    while value >= 128:
        rest.append(128 | value % 128)
        value //= 128
    return bytes(rest + [value])


def text(value):
    encoded = value.encode("utf-8", "surrogateescape")
    return integer(len(encoded), 7) + encoded


def field_line(name, value, first=0, prefix=4):
    """A literal field line, by default one that is not indexed (RFC 7541 section 6.2)."""
    index = STATIC_NAMES.get(name)
    return integer(index, prefix, first) + text(value) if index else bytes((first,)) + text(name) + text(value)


def field_section(request, rng=None, scheme="http", authority="chaos.example"):
    """The field section of a request; with `rng` some of its lines go to the dynamic table."""
    method = "CONNECT" if request.is_websocket else request.method
    section = [METHODS.get(method) or field_line(":method", method), b"\x87" if scheme == "https" else b"\x86"]
    section += [field_line(":path", request.path), field_line(":authority", authority)]
    if request.is_websocket:
        section.append(field_line(":protocol", "websocket"))
    for name, value in request.fields:
        kind = rng.choice(((0, 4), (0x10, 4), (0x40, 6))) if rng else (0, 4)
        section.append(field_line(name, value, *kind))
    return b"".join(section)


def headers(stream, section, ends, rng=None):
    """HEADERS, and CONTINUATIONs where it is too long or chance wants them; sometimes padded or with a priority."""
    flags, before, after = (END_STREAM if ends else 0), b"", b""
    if rng and rng.random() < 0.15:
        size = rng.randrange(0, 60)
        flags, before, after = flags | PADDED, bytes((size,)), bytes(size)
    if rng and rng.random() < 0.15:
        flags, before = flags | PRIORITIZED, before + rng.choice((0, 3, stream)).to_bytes(4, "big") + b"\x10"
    size = rng.randrange(1, 200) if rng and rng.random() < 0.1 else LARGEST_FRAME - 512
    parts = [section[start : start + size] for start in range(0, len(section), size)] or [b""]
    parts[0] = before + parts[0] + after
    frames = [frame(HEADERS, flags | (END_HEADERS if len(parts) == 1 else 0), stream, parts[0])]
    return frames + [
        frame(CONTINUATION, END_HEADERS if number == len(parts) - 1 else 0, stream, part) for number, part in enumerate(parts) if number
    ]


def message(stream, request, rng=None):
    """The frames of one request; those of a WebSocket leave their stream open."""
    section = field_section(request, rng)
    if not request.body and not request.is_websocket:
        return headers(stream, section, True, rng)
    return headers(stream, section, False, rng) + data(stream, request.body, not request.is_websocket)


# MARK: Conversations


def conversation(rng, mark, tokens):
    """What one connection says, as parts; between two of them a client may wait for an answer."""
    kinds = (talk, faulty_stream, flood, rapid_resets, odd_field_section, too_many_streams, no_window, noise)
    kind = rng.choices(kinds, (33, 42, 10, 3, 5, 1, 3, 3))[0]
    begin = PREFACE + opening(rng) if rng.random() < 0.97 else mutate(rng, PREFACE + opening(rng))
    parts = kind(rng, mark, tokens)
    return [begin + parts[0]] + parts[1:] if parts and rng.random() < 0.8 else [begin] + parts


def opening(rng):
    """The client's SETTINGS: none, some, or strange ones."""
    pairs = []
    if rng.random() < 0.5:
        pairs += rng.sample(((1, 0), (1, 65_536), (2, 0), (3, 100), (4, 1 << 20), (4, 10), (4, 0), (5, 16_384), (6, 1 << 14), (8, 1)), 3)
    if rng.random() < 0.05:
        pairs += [(rng.randrange(0, 20), rng.choice((0, 1, 2, 2**31, 2**32 - 1))) for _ in range(rng.randrange(1, 50))]
    wide = window_update(0, 1 << 24) if rng.random() < 0.5 else b""
    return settings(*pairs) + wide


def talk(rng, mark, tokens):
    """Some streams, their frames in turn; then perhaps changed."""
    count = rng.choices((1, 2, 4, 8), (8, 3, 2, 1))[0]
    streams = []
    for number in range(count):
        make = forwarded if number == 0 and rng.random() < 0.6 else any_request
        streams.append(message(2 * number + 1, make(rng, mark, tokens), rng))
    parts = interleaved(rng, streams)
    if rng.random() < 0.3:
        parts.append(settings_ack())
    for _ in range(rng.choice((0, 0, 1, 2, 5))):
        parts.insert(rng.randrange(len(parts) + 1), stray(rng, rng.randrange(0, 2 * count + 3)))
    return changed(rng, parts) if rng.random() < 0.5 else parts


def settings_ack():
    return frame(SETTINGS, ACK, 0)


def interleaved(rng, streams):
    """Frames of several streams mixed; a field section's frames stay together."""
    parts, streams = [], [list(stream) for stream in streams]
    # Streams begin in their order (section 5.1.1).
    for stream in streams:
        parts.append(stream.pop(0))
        while stream and stream[0][3] == CONTINUATION:
            parts.append(stream.pop(0))
    while any(streams):
        stream = rng.choice([stream for stream in streams if stream])
        parts.append(stream.pop(0))
    return parts


def stray(rng, stream):
    """A frame that nobody waits for: of any type, in any state, sometimes of the wrong size."""
    number = rng.choice((0, 1, 2, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFF))
    return rng.choice((
        lambda: frame(DATA, rng.choice((0, 1, 8, 9)), stream, rng.randbytes(rng.randrange(0, 50))),
        lambda: frame(HEADERS, rng.choice((4, 5, 0x2D)), stream, b"\x82\x86\x84"),
        lambda: frame(HEADERS, 5, stream, field_line("x-trailer", "1")),
        lambda: frame(PRIORITY, 0, stream, rng.randbytes(rng.choice((5, 5, 4, 6)))),
        lambda: rst_stream(stream, number),
        lambda: frame(RST_STREAM, 0, stream, rng.randbytes(rng.choice((3, 5)))),
        lambda: frame(SETTINGS, rng.choice((0, 1)), rng.choice((0, stream)), rng.randbytes(rng.choice((0, 6, 12, 5)))),
        lambda: frame(PUSH_PROMISE, 4, stream, rng.randbytes(4) + b"\x82\x86\x84"),
        lambda: frame(PING, rng.choice((0, 1)), rng.choice((0, 0, stream)), rng.randbytes(rng.choice((8, 8, 7, 9)))),
        lambda: frame(GOAWAY, 0, rng.choice((0, 0, stream)), number.to_bytes(4, "big") + rng.randbytes(rng.choice((0, 4, 50)))),
        lambda: window_update(rng.choice((0, stream)), number),
        lambda: frame(CONTINUATION, 4, stream, b"\x82"),
        lambda: frame(rng.randrange(10, 256), rng.randrange(256), stream, rng.randbytes(rng.randrange(0, 60))),
    ))()  # fmt: skip


def changed(rng, parts):
    """Frames in another order, twice, not at all, of another stream, with other flags, lengths or content."""
    parts = list(parts)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not parts:
            break
        index = rng.randrange(len(parts))
        part = bytearray(parts[index])
        change = rng.randrange(9)
        if change == 0:
            parts[index] = mutate(rng, bytes(part))
        elif change == 1:
            parts.insert(rng.randrange(len(parts) + 1), bytes(part))
        elif change == 2:
            del parts[index]
        elif change == 3:
            other = rng.randrange(len(parts))
            parts[index], parts[other] = parts[other], parts[index]
        elif len(part) < 9:
            continue
        elif change == 4:
            part[5:9] = rng.choice((0, 1, 2, 3, 5, 0x7FFFFFFF, 0x80000001)).to_bytes(4, "big")
            parts[index] = bytes(part)
        elif change == 5:
            part[4] ^= 1 << rng.randrange(8)
            parts[index] = bytes(part)
        elif change == 6:
            part[0:3] = rng.choice((0, len(part), max(0, len(part) - 10), 16_385, 0xFFFFFF)).to_bytes(3, "big")
            parts[index] = bytes(part)
        elif change == 7:
            part[3] = rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255))
            parts[index] = bytes(part)
        else:
            part[4] |= PADDED
            parts[index] = bytes(part)
    return parts


def faulty_stream(rng, mark, tokens):
    """A stream that begins well, and a frame in the same segment that is wrong on it (section 5.4.2)."""
    request = (forwarded if rng.random() < 0.8 else any_request)(rng, mark, tokens)
    frames = headers(1, field_section(request, rng), rng.random() < 0.5)
    again = headers(1, field_section(request), False)
    usual = (
        ping(stream=1), window_update(1, 0), window_update(1, LARGEST_WINDOW), frame(DATA, PADDED, 1, b"\xff123"), again[0],
        headers(rng.choice((0, 2)), field_section(request), True)[0],
    )  # fmt: skip
    fault = rng.choice(usual * 3 + (
        frame(SETTINGS, 0, 1), frame(PRIORITY, 0, 1, bytes(4)),
        frame(RST_STREAM, 0, 1, b"123"), frame(GOAWAY, 0, 1, bytes(8)), frame(DATA, 0, 1, b"", LARGEST_FRAME + 1), frame(DATA, 0, 3, b"x"),
        frame(PRIORITY, 0, 1, b"\0\0\0\1\x10"), frame(PUSH_PROMISE, 4, 1, b"\0\0\0\2\x82"), frame(CONTINUATION, 4, 1, b"\x82"),
    ))  # fmt: skip
    higher = headers(rng.choice((3, 5, 101)), field_section(request), True)
    if rng.random() < 0.15:
        return [b"".join(higher + frames)]
    return [b"".join(frames) + fault] if rng.random() < 0.9 else [b"".join(frames), fault]


def flood(rng, mark, tokens):
    """Many small frames, in one go or behind the first read."""
    many = rng.randrange(50, 600)
    small = rng.choice((
        ping(), ping(), ping(), settings(), settings((3, 100)), window_update(0, 1), frame(PRIORITY, 0, 3, b"\0\0\0\1\x10"),
        frame(11, 0, 0, b"unknown"), settings_ack(), frame(DATA, 0, 1), rst_stream(1), frame(CONTINUATION, 0, 1, b"\x82"),
    ))  # fmt: skip
    before = message(1, forwarded(rng, mark, tokens), rng) if rng.random() < 0.4 else []
    # Half of them straight behind the opening, as most clients would send it.
    return [b"".join(before) + small * many] if rng.random() < 0.5 else before + [small * many]


def rapid_resets(rng, mark, tokens):
    """Streams that are reset as soon as they begin, or a little later (CVE-2023-44487)."""
    parts = []
    for number in range(rng.randrange(5, 60)):
        stream = 2 * number + 1
        parts.append(b"".join(message(stream, forwarded(rng, mark, tokens))) + rst_stream(stream))
    return [b"".join(parts)] if rng.random() < 0.7 else parts


def odd_field_section(rng, mark, tokens):
    """Field sections that a decoder has to refuse, or that cost it much."""
    good = field_section(any_request(rng, mark, tokens))
    big = field_line("x-big", "b" * rng.randrange(1000, 4000), 0x40, 6)
    section = rng.choice((
        good + b"\xff\xff\xff\xff\x7f", good + b"\x80", b"\x3f\xe1\xff\xff\xff\x0f" + good, good + integer(70, 7, 0x80) * 4,
        good + big + b"\xbe" * rng.randrange(1, 300), b"\x20" * 50 + good, good + b"\x00\x85\xff\xff\xff\xff\xff\x01a", mutate(rng, good),
        good + field_line("Upper", "case"), good + field_line(":late", "pseudo"), good + good, good[1:], b"",
        good + field_line("connection", "close"), good + field_line("content-length", "7"), good + field_line("x", "a\r\nb: c"),
        good + field_line("transfer-encoding", "chunked"), good + b"".join(field_line(f"x-{n}", "v" * 100, 0x40, 6) for n in range(150)),
    ))  # fmt: skip
    frames = headers(1, section, rng.random() < 0.6, rng)
    if rng.random() < 0.3:
        # Fragments without an end, a few kilobytes of them (CVE-2024-27316).
        frames = [frame(HEADERS, 0, 1, section)] + [frame(CONTINUATION, 0, 1, field_line("x-more", "v" * 30))] * rng.randrange(1, 400)
    return frames if rng.random() < 0.5 else [b"".join(frames)]


def too_many_streams(rng, mark, tokens):
    """More requests at once than a connection may have."""
    request = forwarded(rng, mark, tokens)
    request.body = b""
    section = field_section(request)
    return [b"".join(headers(2 * number + 1, section, True)[0] for number in range(rng.randrange(50, 160)))]


def no_window(rng, mark, tokens):
    """Much is asked for, and nothing of it can be sent."""
    request = forwarded(rng, mark, tokens)
    request.method, request.body, request.path = "GET", b"", f"/open/large/{mark}"
    begin = [settings((4, rng.choice((0, 1, 100)))) + b"".join(message(1, request) + message(3, request))]
    return begin + [window_update(rng.choice((0, 1, 3)), rng.choice((1, 1000, 70_000))) for _ in range(rng.randrange(0, 4))]


def noise(rng, mark, tokens):
    """No frames at all, or random ones."""
    if rng.random() < 0.5:
        return [rng.randbytes(rng.randrange(1, 3000))]
    return [frame(rng.randrange(12), rng.randrange(256), rng.randrange(0, 8), rng.randbytes(rng.randrange(0, 40))) for _ in range(20)]
