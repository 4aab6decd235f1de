"""What an idle keep-alive connection holds in memory."""

import resource
import socket
import time

from contenders import bearward, checks, envoy, haproxy, nginx
from contenders.world import LOAD_CORES, World
from measuring import load
from measuring.results import Row, Table
from measuring.rounds import interleave
from measuring.running import free_port
from scenarios import rows as contender

CONNECTIONS = 10_000
SETTLING = 3


def run(options):
    raise_descriptor_limit()
    with World(options) as world:
        token = world.issuer.sign("RS256")
        requests = load.request_file(world.directory / "requests", contender.orders(world.issuer.rotation("RS256", contender.ROTATION)))
        commands = {
            contender.NGINX_PLAIN: lambda port: nginx.plain(world, port),
            contender.HAPROXY_PLAIN: lambda port: haproxy.plain(world, port),
            contender.ENVOY_CACHED: lambda port: envoy.verifying(world, port, 1000),
            contender.BEARWARD: lambda port: bearward.verifying(world, port),
        }
        rows = [Row(name) for name in commands]
        interleave(limited(options), rows, lambda row, seconds: measure(world, commands[row.name], row.name, token, requests))
    return [Table("idle", "10,000 idle connections", NOTE, rows, ["ready", "before", "rss", "per_connection"])]


def limited(options):
    """Every measurement starts a fresh program, so a few are enough."""
    options = type(options)(**vars(options))
    options.rounds = min(options.rounds, 3)
    return options


def measure(world, command, name, token, requests):
    """A fresh program under load for a moment, then left alone with connections that made one request each."""
    port = free_port()
    begin = time.monotonic()
    program = world.start(name, command(port), port)
    connections = []
    try:
        checks.wait_for_keys(program, "/api/orders/7", token)
        ready = time.monotonic() - begin
        load.measure(program, requests, 2, LOAD_CORES)
        before = program.resident_bytes()
        connections += [used_connection(port, token) for _ in range(CONNECTIONS)]
        time.sleep(SETTLING)
        after = program.resident_bytes()
    finally:
        for connection in connections:
            connection.close()
        world.stop(program)
    return {"ready": ready, "before": before, "rss": after, "per_connection": (after - before) / CONNECTIONS}


def used_connection(port, token):
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(f"GET /api/orders/7 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    if not connection.recv(4096).startswith(b"HTTP/1.1 200"):
        raise load.LoadFailed("a connection that was to be idle did not get 200")
    return connection


def raise_descriptor_limit():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most if most != resource.RLIM_INFINITY else 65536, most))


NOTE = (
    "From start to the first authorised answer; resident memory after two seconds of load, and three seconds after 10,000 connections made one "
    "authorised request each and stayed open.")
