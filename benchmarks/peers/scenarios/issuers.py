"""How much a request costs as the number of trusted issuers grows."""

from contenders import bearward, checks, envoy, haproxy
from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Table
from measuring.rounds import interleave
from measuring.tokens import Issuer
from scenarios import rows as contender


def run(options):
    with World(options) as world:
        rows, requests = [], {}
        contender.haproxy_plain(world, rows)
        most = [Issuer(world.directory, f"i{number}", f"https://i{number}.example", ["ES256"]) for number in range(1_000)]
        for count in [1, 10, 100, 1_000]:
            issuers = most[:count]
            tokens = [issuer.sign("ES256", jti=str(turn)) for turn in range(max(1, contender.ROTATION // count)) for issuer in issuers]
            requests[f"{count:,}"] = load.request_file(world.directory / f"issuers-{count}", contender.orders(tokens))
            contenders(world, rows, issuers)
        requests[""] = requests["1"]
        interleave(options, rows, lambda row, seconds: load.measure(row.program, requests[row.group], seconds, LOAD_CORES))
    return [Table("issuers", "1 to 1,000 issuers", NOTE, rows, ["cpu", "rate", "p50", "p99", "rss"], group_title="Issuers")]


def contenders(world, rows, issuers):
    group = f"{len(issuers):,}"

    def check(program):
        checks.check_verifying(program, issuers[-1], "ES256")

    def add(name, command):
        contender.add(world, rows, name, command, check, group, deadline=120)

    add(contender.HAPROXY, lambda port: haproxy.with_issuers(world, port, issuers))
    add(contender.ENVOY_CACHED, lambda port: envoy.verifying(world, port, 1000, issuers=issuers))
    add(contender.BEARWARD, lambda port: bearward.verifying(world, port, issuers=issuers))


NOTE = (
    "Each issuer has an ES256 key of its own; the tokens, at least 100 of them seen before, take turns over all issuers. HAProxy has one rule an "
    "issuer, Envoy one provider an issuer under `requires_any`; both go through them one by one. `HAProxy, plain` trusts nobody and is measured "
    "once.")
