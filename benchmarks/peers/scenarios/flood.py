"""What good traffic feels of a flood of forged tokens."""

from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Table
from measuring.rounds import interleave
from scenarios import rows as contender

SHARE = 0.25
FORGED = 5_000


def run(options):
    with World(options) as world:
        rows = []
        contender.verifying(world, rows)
        rows = [row for row in rows if row.name != contender.ENVOY]
        good = load.request_file(world.directory / "good", contender.orders(world.issuer.rotation("RS256", contender.ROTATION)))
        forged = load.request_file(world.directory / "forged", contender.orders(world.issuer.forged(FORGED)))
        rates = {}

        def measure(row, seconds):
            if row.name not in rates:
                rates[row.name] = calibrated(row.program, good)
            return flooded(row.program, good, forged, seconds, rates[row.name])

        interleave(options, rows, measure)
    return [Table("flood", "A flood of forged tokens", NOTE, rows, MEASURES, baseline="")]


def calibrated(program, good):
    """The rate at which good traffic alone takes a quarter of one core."""
    return SHARE / (load.measure(program, good, 2, LOAD_CORES)["cpu"] / 1e6)


def flooded(program, good, forged, seconds, rate):
    """The good traffic alone, then with as many forged tokens beside it."""
    alone = load.finish(load.start(program.port, good, seconds, LOAD_CORES, rate=rate))
    before = program.cpu_seconds()
    flood = load.start(program.port, forged, seconds, LOAD_CORES, rate=rate)
    beside = load.finish(load.start(program.port, good, seconds, LOAD_CORES, rate=rate))
    refused = load.finish(flood, expected="refused")
    used = program.cpu_seconds() - before
    return {
        "good_rate": alone["answered"] / alone["microseconds"] * 1e6,
        "forged_rate": refused["answered"] / refused["microseconds"] * 1e6,
        "completed": (beside["answered"] / beside["microseconds"]) / (alone["answered"] / alone["microseconds"]),
        "p99": alone["p99"], "p99_flooded": beside["p99"], "p99_ratio": beside["p99"] / max(1, alone["p99"]),
        "busy": used / beside["microseconds"] * 1e6,
    }


MEASURES = ["good_rate", "forged_rate", "completed", "p99", "p99_flooded", "p99_ratio", "busy"]
NOTE = (
    "Good traffic, 100 RS256 tokens in rotation, paced so that alone it takes a quarter of one core of that contender; then the same beside RS256 "
    f"tokens with forged signatures at the same rate ({FORGED:,} different ones, which nobody keeps). Load and upstream share one core, so part of "
    "the latency is theirs.")
