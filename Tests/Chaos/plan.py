"""What one connection of the load does, made from the seed, its process and its number alone."""

import random
from dataclasses import dataclass

import http1
import http2
from mutations import mutate
from stand import LISTENERS

# How long a client that waits for an answer waits, and how long one that stops stays still, in seconds; the last are rare.
WAITS = (0.005, 0.02, 0.1)
STALLS = (0.05, 0.3, 1.0, 6.0)


@dataclass
class Plan:
    """The steps are `(what, argument)`, carried out in order by ``client.Connection``."""

    listener: object
    # What a client offers by ALPN; nil: it speaks no TLS.
    offered: tuple = None
    # The TLS handshake is cut off after so many flights of the client's.
    flights: int = 99
    resumes: bool = True
    # TLS 1.2 at most.
    is_old: bool = False
    steps: list = None
    # How it ends: `reset`, `close`, or `half` and then `close`.
    end: str = "reset"
    kind: str = ""


def make(seed, worker, number, tokens, chosen):
    """The plan of one connection. It depends on nothing but its arguments."""
    rng = random.Random(f"{seed}/{worker}/{number}")
    listeners = [listener for listener in LISTENERS if listener.name in chosen]
    listener = rng.choices(listeners, [listener.weight for listener in listeners])[0]
    plan = Plan(listener, end=rng.choices(("reset", "close", "half"), (5, 3, 1))[0])
    mark = f"c{worker}-{number}"
    version = spoken(rng, listener)
    if listener.is_secure and rng.random() < 0.92:
        plan.offered = (version,) if rng.random() < 0.8 else rng.choice((("h2", "http/1.1"), ("http/1.0",), ()))
        plan.flights = rng.choice((1, 2)) if rng.random() < 0.05 else 99
        plan.resumes, plan.is_old = rng.random() < 0.9, rng.random() < 0.15
    elif listener.is_secure:
        plan.kind = "no tls"
        plan.steps = [("send", hello(rng))]
        return plan
    plan.kind = version
    if listener.door and version != "h2":
        parts = http1.questions(rng, mark, tokens, listener.door)
    else:
        parts = (http2 if version == "h2" else http1).conversation(rng, mark, tokens)
    plan.steps = steps(rng, parts, isolated=version != "h2")
    if plan.offered is not None and rng.random() < 0.05:
        plan.steps.insert(rng.randrange(len(plan.steps) + 1), ("garble", rng.choice((b"\x17\x03\x03\x00\x10", rng.randbytes(30)))))
    return plan


def spoken(rng, listener):
    """The version of HTTP that the client speaks; now and then one that the listener does not."""
    if rng.random() < 0.03:
        return rng.choice(("h2", "http/1.1"))
    return rng.choice(("h2", "h2", "http/1.1")) if listener.http1 and listener.http2 else listener.protocols[0]


def hello(rng):
    """No TLS for a listener that wants it: another protocol, or the beginning of a handshake, changed."""
    client_hello = bytes.fromhex("16030100a5010000a10303") + rng.randbytes(32) + bytes.fromhex("000006130113021303010000720000000e000c0000")
    return rng.choice((
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", http2.PREFACE + http2.settings(), client_hello, mutate(rng, client_hello),
        rng.randbytes(rng.randrange(1, 400)), b"\x16\x03\x01\xff\xff" + rng.randbytes(300), b"\x80\x2e\x01\x00\x02" + rng.randbytes(40),
    ))  # fmt: skip


def steps(rng, parts, isolated):
    """The parts in pieces, with waits between some; the connection ends behind a random one."""
    # What is one part is meant to arrive as one.
    way = rng.choices(("whole", "parts", "pieces", "bytes"), (6, 4, 2, 1) if len(parts) > 1 else (12, 0, 2, 1))[0]
    steps = []
    if way == "whole":
        steps.append(("send", b"".join(parts)))
        steps += pause(rng, 0.8)
    elif way == "parts":
        for part in parts:
            steps.append(("send", part))
            steps += pause(rng, 0.5 if isolated else 0.2)
    else:
        data = b"".join(parts)
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(1, 6 if way == "pieces" else 20)))
        for start, end in zip([0] + cuts, cuts + [len(data)]):
            steps.append(("send", data[start:end]))
            steps += pause(rng, 0.2)
    # A fifth ends before all is said.
    if rng.random() < 0.2:
        steps = steps[: rng.randrange(1, len(steps) + 1)]
    elif rng.random() < 0.5:
        steps += pause(rng, 1)
    return steps


def pause(rng, likelihood):
    """A wait for an answer, or a while in which nothing is read."""
    if rng.random() >= likelihood:
        return []
    if rng.random() < 0.06:
        return [("stall", rng.choices(STALLS, (12, 6, 3, 1))[0])]
    return [("wait", rng.choice(WAITS))]
