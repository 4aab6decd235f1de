"""The common case at the edge: over TLS by HTTP/1.1 and by HTTP/2, and connections that are new."""

from contenders import bearward, checks, envoy, haproxy
from contenders.way import Way
from contenders.world import LOAD_CORES, World
from measuring import h2load, load
from measuring.certificates import Identity
from measuring.results import Table
from measuring.rounds import interleave
from scenarios import rows as contender

NEW_CONNECTIONS = 1000


def run(options):
    with World(options) as world:
        way = Way(identity=Identity(world.directory))
        token = world.issuer.sign("RS256")
        requests = load.request_file(world.directory / "requests", contender.orders(world.issuer.rotation("RS256", contender.ROTATION)))
        return [
            table(options, world, way, "edge", "Over TLS, HTTP/1.1", HTTP1, ["cpu", "rate", "p50", "p99", "rss"],
                  lambda row, seconds: load.measure(row.program, requests, seconds, LOAD_CORES, secure=True)),
            table(options, world, way, "edge2", "Over TLS, HTTP/2", HTTP2, ["cpu", "rate", "rss"],
                  lambda row, seconds: h2load.measure(row.program, token, LOAD_CORES, ["-c16", "-m10", "-D", seconds])),
            table(options, world, way, "edge-new", "New connections over TLS", NEW, ["cpu", "rate", "rss"],
                  lambda row, _: h2load.measure(
                      row.program, token, LOAD_CORES, ["--h1", "-n", NEW_CONNECTIONS, "-c", NEW_CONNECTIONS])),
        ]


def table(options, world, way, name, title, note, measures, measure):
    rows = []

    def add(name, command, check, *known):
        def secure(program):
            program.is_secure = True
            check(program, *known)
        contender.add(world, rows, name, command, secure)

    add(contender.HAPROXY_PLAIN, lambda port: haproxy.plain(world, port, way=way), checks.check_plain)
    judged = (checks.check_verifying, world.issuer, "RS256")
    add(contender.ENVOY_CACHED, lambda port: envoy.verifying(world, port, 1000, way=way), *judged)
    add(contender.BEARWARD, lambda port: bearward.verifying(world, port, way=way), *judged)
    interleave(options, rows, measure)
    for row in rows:
        if row.program is not None:
            world.stop(row.program)
    return Table(name, title, note, rows, measures)


HTTP1 = "100 RS256 tokens in rotation, 64 connections, a small GET, TLS 1.3 with an ECDSA certificate on P-256. No access logs."
HTTP2 = "One RS256 token, 16 connections with ten requests at once, by h2load; otherwise as above."
NEW = f"{NEW_CONNECTIONS} connections at once, one request each; CPU is that of a connection and its request."
