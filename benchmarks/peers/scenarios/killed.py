"""Four targets, of which one is killed every second and started again, behind every contender at once: all meet the same deaths."""

import asyncio
import collections
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from contenders import fleets
from contenders.world import LOAD_CORES, World
from measuring import callers
from measuring.running import free_port
from measuring.tools import told

TARGETS = 4
CLIENTS = 8
# Of each second: how long the target is away, with the time that it takes to start.
AWAY = 0.3
PROGRAM = Path(callers.__file__).with_name("target.py")


def run(options):
    with World(options) as world:
        targets = [Target(world, number) for number in range(TARGETS)]
        try:
            ports = {}
            for name in fleets.chosen(options):
                ports[name] = free_port()
                world.start(name, fleets.EVERY[name](world, ports[name], [target.port for target in targets]).command, ports[name])
            told(f"killing targets for {options.seconds} s")
            executioner = Executioner(targets)
            executioner.start()
            outcomes = asyncio.run(callers.call(ports, options.seconds, CLIENTS))
            executioner.stop()
        finally:
            for target in targets:
                target.kill()
        report(outcomes, executioner, Records(targets))


class Target:
    def __init__(self, world, number):
        self.port, self.record = free_port(), world.directory / f"target-{number}.record"
        self.start()
        self.wait()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-E", str(PROGRAM), str(self.port), str(self.record)], stdin=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, LOAD_CORES))

    def wait(self):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.01)
        raise TimeoutError("a target did not start")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Executioner(threading.Thread):
    """Kills one target after another, one a second, and starts each again."""

    def __init__(self, targets):
        super().__init__(daemon=True)
        self.targets, self.deaths, self.ending = targets, 0, threading.Event()

    def run(self):
        due = time.monotonic() + 1
        while not self.ending.wait(max(0, due - time.monotonic())):
            due += 1
            target = self.targets[self.deaths % len(self.targets)]
            target.kill()
            self.deaths += 1
            time.sleep(AWAY)
            target.start()

    def stop(self):
        self.ending.set()
        self.join()


class Records:
    """How often each request was begun, by all targets together."""

    def __init__(self, targets):
        self.counts = collections.Counter(
            line for target in targets if target.record.exists() for line in target.record.read_text().splitlines())

    def repeated(self, number, method):
        """Requests of a contender that were begun more than once."""
        return sum(count > 1 for line, count in self.counts.items() if line.startswith(f"{method} /{number}-{method}-"))


def report(outcomes, executioner, records):
    print(f"\n{executioner.deaths} deaths of {TARGETS} targets; {CLIENTS} clients of each method at each contender\n")
    print("| | GET | not 200 | begun twice | POST | not 200 | **sent twice** | mixed answers |\n|---|---:|---|---:|---:|---|---:|---:|")
    for index in range(0, len(outcomes), 2):
        (name, _), gets = list(outcomes.items())[index]
        _, posts = list(outcomes.items())[index + 1]
        print(f"| {name} | {gets.asked:,} | {bad(gets)} | {records.repeated(index, 'GET')} | {posts.asked:,} | {bad(posts)} "
              f"| {records.repeated(index + 1, 'POST')} | {gets.mixed + posts.mixed} |", flush=True)


def bad(outcome):
    """What was answered in place of 200, and how often."""
    others = [f"{count} × {status}" for status, count in sorted(outcome.statuses.items()) if status != 200]
    return ", ".join(others + ([f"{outcome.broken} broken off"] if outcome.broken else [])) or "0"
