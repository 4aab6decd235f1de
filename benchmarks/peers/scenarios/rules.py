"""How much a request costs as the number of rules grows."""

from contenders import bearward, checks, envoy, haproxy
from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Table
from measuring.rounds import interleave
from scenarios import rows as contender

# Envoy goes through its policies one by one; beyond this it answers a few hundred requests a second.
MOST_FOR_ENVOY = 10_000
TARGETS = 1_000
TARGET = "/api/c0/orders/7"


def run(options):
    counts = [1, 10, 1_000, 100_000] if options.quick else [1, 10, 100, 1_000, 10_000, 100_000]
    with World(options) as world:
        rows, requests = [], {}
        contender.haproxy_plain(world, rows)
        tokens = world.issuer.rotation("RS256", contender.ROTATION)
        for count in counts:
            requests[f"{count:,}"] = load.request_file(world.directory / f"rules-{count}", spread(count, tokens))
            contenders(world, rows, count, 1_000 if options.quick else MOST_FOR_ENVOY)
        requests[""] = requests["1"]
        interleave(options, rows, lambda row, seconds: load.measure(row.program, requests[row.group], seconds, LOAD_CORES))
    return [Table("rules", "1 to 100,000 rules", NOTE, rows, ["cpu", "rate", "p50", "p99", "rss"], group_title="Rules")]


def spread(count, tokens):
    """Requests for up to 1,000 of the rules, evenly spread over all."""
    step = max(1, count // TARGETS)
    numbers = list(range(0, count, step)) * max(1, len(tokens) // count)
    return [("GET", f"/api/c{number}/orders/7", tokens[turn % len(tokens)]) for turn, number in enumerate(numbers)]


def contenders(world, rows, count, most_for_envoy):
    group = f"{count:,}"
    rules = [f"GET /c{number}/orders/**" for number in range(count)]
    prefixes = [f"/api/c{number}/orders/" for number in range(count)]

    def check(program):
        checks.check_verifying(program, world.issuer, "RS256", TARGET)
        token = world.issuer.sign("RS256")
        checks.expect(program, "a path without a rule", checks.answers(program, f"/api/c{count}/orders/7", token=token), 403)

    def add(name, command):
        contender.add(world, rows, name, command, check, group, deadline=120)

    add(contender.HAPROXY, lambda port: haproxy.with_rules(world, port, prefixes))
    if count <= most_for_envoy:
        add(contender.ENVOY_CACHED, lambda port: envoy.verifying(world, port, 1000, prefixes=prefixes))
    else:
        reason = f"not run: its policies are gone through one by one; see the figure for {most_for_envoy:,}"
        contender.failed(rows, contender.ENVOY_CACHED, group, reason)
    add(contender.BEARWARD, lambda port: bearward.verifying(world, port, rules=rules))


NOTE = (
    "Tokens seen before; the requests are for up to 1,000 of the rules, evenly spread. HAProxy looks the path up in a map of prefixes, Envoy has "
    "one RBAC policy a prefix. `HAProxy, plain` has no rules and is measured once.")
