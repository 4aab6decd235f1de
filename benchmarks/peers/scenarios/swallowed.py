"""Three good targets and one that swallows connections, beside three good ones alone."""

import socket
import statistics
import time

from contenders import fleets, nginx
from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.running import DidNotStart, LoadFailed, free_port
from measuring.tools import told

GOOD = 3
RATE = 1_500
CONNECTIONS = 32
# Connects that are under way when the first of them fails come to nothing a little later.
FIRST = 8
WINDOW = 5


def run(options):
    print(f"\n{GOOD} good targets and one that swallows connections, {RATE:,} requests a second over {CONNECTIONS} connections\n")
    print("| | connects that timed out in the first seconds | slowest request then | not 200 | p99 afterwards | of three good ones | ratio |\n"
          "|---|---:|---:|---:|---:|---:|---|", flush=True)
    with World(options) as world, BlackHole() as hole:
        ports = [free_port() for _ in range(GOOD)]
        listening = "".join(f"listen 127.0.0.1:{port} backlog=4096; " for port in ports)
        world.start("targets", nginx.configured(world.directory, "targets", f'server {{ {listening} location / {{ return 200 "ok"; }} }}'),
                    ports[0], LOAD_CORES)
        requests = load.request_file(world.directory / "requests", [("GET", "/orders/7", "-")])
        for name in fleets.chosen(options, [fleets.DEFAULT, fleets.HAPROXY, fleets.NGINX, fleets.ENVOY]):
            measure(options, world, name, ports, hole.port, requests)


def measure(options, world, name, ports, hole, requests):
    try:
        row = rounds(options, world, name, ports, hole, requests)
    except (LoadFailed, DidNotStart) as problem:
        row = f"| {problem} | | | | | |"
    print(f"| {name.split(',')[0]} {row}", flush=True)


def rounds(options, world, name, ports, hole, requests):
    (with_hole, contender), (alone, _) = started(world, name, [*ports, hole]), started(world, name, ports)
    first = drive(with_hole, requests, FIRST)
    time.sleep(0.5)
    timeouts = contender.timeouts(hole)
    pairs, wrong = [], first["refused"]
    for number in range(options.rounds):
        programs = (with_hole, alone) if number % 2 else (alone, with_hole)
        figures = {program: drive(program, requests, WINDOW) for program in programs}
        wrong += figures[with_hole]["refused"]
        pairs.append((figures[with_hole]["p99"], figures[alone]["p99"]))
    ratios = [with_one / without for with_one, without in pairs]
    p99, p99_alone = (statistics.median(column) / 1e3 for column in zip(*pairs))
    for program in (with_hole, alone):
        world.stop(program)
    return (f"| {timeouts} | {first['slowest'] / 1e6:.2f} s | {wrong} | {p99:.2f} ms | {p99_alone:.2f} ms "
            f"| {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}) |")


def started(world, name, targets):
    port = free_port()
    contender = fleets.EVERY[name](world, port, targets)
    told(f"starting {name}")
    return world.start(name, contender.command, port), contender


def drive(program, requests, seconds):
    return load.finish(load.start(program.port, requests, seconds, LOAD_CORES, connections=CONNECTIONS, rate=RATE), "any")


class BlackHole:
    """A socket that listens and whose queue is full: the kernel drops what asks for a connection."""

    def __enter__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.filling = []
        # One is let in, whatever the queue's length.
        for _ in range(4):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", self.port))
            self.filling.append(connection)
        return self

    def __exit__(self, *_):
        for connection in [*self.filling, self.listener]:
            connection.close()
