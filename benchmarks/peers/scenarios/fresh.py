"""The expensive case: every token is new, so each request costs one verification."""

from contenders import bearward, checks, envoy, haproxy
from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Table
from measuring.rounds import interleave
from measuring.tokens import ALGORITHMS
from measuring.tools import told
from scenarios import rows as contender


def run(options):
    with World(options) as world:
        rows, requests = [], {}
        contender.haproxy_plain(world, rows)
        for algorithm in ALGORITHMS:
            told(f"signing {options.tokens} tokens with {algorithm}")
            tokens = world.issuer.many(algorithm, options.tokens)
            requests[algorithm] = load.request_file(world.directory / algorithm, contender.orders(tokens))
            contenders(world, rows, algorithm)
        requests[""] = requests["RS256"]
        interleave(options, rows, lambda row, seconds: load.measure(row.program, requests[row.group], seconds, LOAD_CORES))
    note = (
        f"{options.tokens:,} different tokens of each algorithm, 64 connections. A run that needs more begins again from the first, so no "
        "contender may keep verified tokens here: Bearward runs with `token_cache: 0`, Envoy without `jwt_cache_config`; HAProxy has no cache.")
    return [Table("new", "Every token new", note, rows, ["cpu", "rate", "p50", "p99", "p99.9"], group_title="Algorithm")]


def contenders(world, rows, algorithm):
    def check(program):
        checks.check_verifying(program, world.issuer, algorithm)

    if algorithm in haproxy.ALGORITHMS:
        contender.add(world, rows, contender.HAPROXY, lambda port: haproxy.verifying(world, port, algorithm), check, algorithm)
    else:
        contender.failed(rows, contender.HAPROXY, algorithm, haproxy.NO_EDDSA)
    contender.add(world, rows, contender.ENVOY, lambda port: envoy.verifying(world, port), check, algorithm)
    contender.add(world, rows, contender.BEARWARD_UNCACHED, lambda port: bearward.verifying(world, port, cache="0"), check, algorithm)
