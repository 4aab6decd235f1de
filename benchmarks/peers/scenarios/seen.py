"""The common case: tokens that were seen before, 100 of them in rotation, without and with access logs."""

import os

from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Table
from measuring.rounds import interleave
from scenarios import rows as contender

MEASURES = ["cpu", "rate", "p50", "p99", "p99.9", "rss"]


def run(options):
    return [seen(options)]


def run_logged(options):
    return [seen(options, access_log=True)]


def seen(options, access_log=False):
    with World(options) as world:
        rows = []
        contender.plain_proxies(world, rows, access_log, with_envoy=not access_log)
        contender.verifying(world, rows, access_log)
        tokens = world.issuer.rotation("RS256", contender.ROTATION)
        requests = load.request_file(world.directory / "requests", contender.orders(tokens))

        def measure(row, seconds):
            taken = load.measure(row.program, requests, seconds, LOAD_CORES)
            if access_log:
                forget_logs(world)
            return taken

        interleave(options, rows, measure)
    if access_log:
        return Table("logged", "A token seen before, access logs on", LOGGED, rows, MEASURES)
    return Table("seen", "A token seen before", SEEN, rows, MEASURES)


def forget_logs(world):
    """Empties what was logged, so that a long run does not fill the disk."""
    for path in world.directory.glob("*.log"):
        os.truncate(path, 0)


SEEN = "100 RS256 tokens in rotation, 64 connections, a small GET. No access logs."
LOGGED = "As above, each contender writing its usual access log: HAProxy to standard output, the others to a file."
