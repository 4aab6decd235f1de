"""Bodies of three sizes, down to the client and up to the upstream."""

from contenders.nginx import SIZES
from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Row, Table
from measuring.rounds import interleave
from scenarios import rows as contender

NAMES = {"1k": "1 KiB", "64k": "64 KiB", "10m": "10 MiB"}


def run(options):
    with World(options) as world:
        started, rows = [], []
        contender.plain_proxies(world, started)
        contender.verifying(world, started)
        started = [row for row in started if row.name != contender.ENVOY]
        shorter = limited(options)
        tokens = world.issuer.rotation("RS256", contender.ROTATION)
        for direction in ("down", "up"):
            for size in SIZES:
                rows += measure_size(shorter, world, started, tokens, direction, size)
    return [Table("bodies", "Bodies", NOTE, rows, ["cpu", "rate", "mebibytes", "p50", "p99", "rss"], group_title="Body")]


def limited(options):
    """Six conditions, so half as long each."""
    options = type(options)(**vars(options))
    options.seconds = max(1, options.seconds // 2)
    return options


def measure_size(options, world, started, tokens, direction, size):
    large = SIZES[size] > 1_000_000
    target = f"/api/bodies/{size}" if direction == "down" else "/api/uploads"
    # Each request line holds its body in memory, so a large one is kept once only.
    used = tokens[:1] if large and direction == "up" else tokens
    method = "GET" if direction == "down" else "POST"
    requests = load.request_file(world.directory / f"{direction}-{size}", [(method, target, token) for token in used])
    rows = [Row(row.name, f"{NAMES[size]} {direction}", failure=row.failure, program=row.program) for row in started]

    def measure(row, seconds):
        sent = SIZES[size] if direction == "up" else 0
        taken = load.measure(row.program, requests, seconds, LOAD_CORES, connections=8 if large else 64, body=sent)
        return taken | {"mebibytes": taken["rate"] * SIZES[size] / 1048576}

    return interleave(options, rows, measure)


NOTE = (
    "Tokens seen before; 64 connections, 8 for 10 MiB. *Down* is a GET whose answer has the body, *up* a POST that the upstream answers once it "
    "has read the body. CPU is for one request with its whole body. nginx neither buffers request bodies nor writes answers to disk.")
