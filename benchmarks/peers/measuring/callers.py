"""Clients that ask for one thing after another, each by a name of its own, and know their answers by it."""

import asyncio
import collections
from dataclasses import dataclass, field

# Between an answer and the next request of a client.
PAUSE = 0.03
PATIENCE = 30


@dataclass
class Outcome:
    """What became of the requests of one kind at one contender. `mixed`: answers to something else. `broken`: connections that
    ended, or were silent for too long, in place of an answer."""

    statuses: collections.Counter = field(default_factory=collections.Counter)
    mixed: int = 0
    broken: int = 0

    @property
    def asked(self):
        return self.statuses.total() + self.broken


class Caller:
    """One connection of one contender, made again when it ends."""

    def __init__(self, port, name, method, outcome):
        self.port, self.name, self.method, self.outcome = port, name, method, outcome
        self.number, self.streams = 0, None

    async def run(self, until):
        while asyncio.get_running_loop().time() < until:
            try:
                await asyncio.wait_for(self.ask(), PATIENCE)
            except (OSError, EOFError, asyncio.TimeoutError, ValueError):
                self.outcome.broken += 1
                self.close()
            await asyncio.sleep(PAUSE)
        self.close()

    def close(self):
        if self.streams:
            self.streams[1].close()
        self.streams = None

    async def ask(self):
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        self.number += 1
        target = f"/{self.name}/{self.number}"
        body = f"body of {target}" if self.method == "POST" else ""
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        writer.write(f"{self.method} {target} HTTP/1.1\r\nHost: shop.example\r\n{length}\r\n{body}".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, fields = int(head.split(" ")[1]), head.lower().split("\r\n")
        length = next((int(line.split(":")[1]) for line in fields if line.startswith("content-length:")), 0)
        content = await reader.readexactly(length)
        self.outcome.statuses[status] += 1
        if status == 200 and content.decode("latin-1") != f"{target} {body}":
            self.outcome.mixed += 1
        if "connection: close" in fields:
            self.close()


async def call(ports, seconds, clients):
    """Asks every contender at once, by GET and by POST; the outcomes by its name and the method.

    `ports`: by the contender's name. `clients`: of each method at each contender.
    """
    until = asyncio.get_running_loop().time() + seconds
    outcomes = {(name, method): Outcome() for name in ports for method in ("GET", "POST")}
    callers = [
        Caller(ports[name], f"{index}-{method}-{client}", method, outcome)
        for index, ((name, method), outcome) in enumerate(outcomes.items()) for client in range(clients)]
    await asyncio.gather(*(caller.run(until) for caller in callers))
    return outcomes
