"""Whether a second event loop makes requests dearer."""

from contenders import bearward, checks
from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Table
from measuring.rounds import interleave
from scenarios import rows as contender

ONE = "Bearward, one event loop"
TWO = "Bearward, two event loops"
BOTH_CORES = {0, 1}


def run(options):
    with World(options) as world:
        rows = []
        for name, loops in ((ONE, 1), (TWO, 2)):
            contender.add(
                world, rows, name, lambda port: bearward.verifying(world, port, loops=loops),
                lambda program: checks.check_verifying(program, world.issuer, "RS256"), cores=BOTH_CORES)
        tokens = world.issuer.rotation("RS256", contender.ROTATION)
        requests = load.request_file(world.directory / "requests", contender.orders(tokens))
        interleave(options, rows, lambda row, seconds: load.measure(row.program, requests, seconds, LOAD_CORES))
    return [Table("loops", "Two event loops", NOTE, rows, ["cpu", "rate", "p50", "p99", "p99.9", "rss"], baseline=ONE)]


NOTE = "Tokens seen before. Here the gateway may use both cores in both rows, and shares the second with load and upstream."
