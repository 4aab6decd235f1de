"""HTTP/2 from the client, in the clear and over TLS: to HTTP/1.1 and HTTP/2 upstreams, and unary calls of gRPC."""

from contenders import bearward, checks, envoy, haproxy, nghttpx, nginx
from contenders.way import Way
from contenders.world import LOAD_CORES, World
from measuring import h2load
from measuring.certificates import Identity
from measuring.results import Table
from measuring.rounds import interleave
from measuring.running import free_port
from scenarios import rows as contender

CLEAR, SECURE, CLEAR_HTTP2, SECURE_HTTP2, CALLS = "h2c to HTTP/1.1", "TLS to HTTP/1.1", "h2c to h2c", "TLS to h2c", "gRPC, h2c to h2c"
WAYS = [CLEAR, SECURE, CLEAR_HTTP2, SECURE_HTTP2, CALLS]
LOAD = ["-c16", "-m10"]
ORDERS = "/api/orders/7"
# nghttpd knows the type of what it answers by the end of the name.
METHOD = "/api/Order.grpc"
# A message of gRPC: not compressed, its length in four bytes, then that many.
QUESTION = "\0\0\0\0\x20" + "q" * 32
ANSWER = "\0\0\0\0\x20" + "a" * 32


def ways(identity):
    return {
        CLEAR: Way(is_http2=True), SECURE: Way(is_http2=True, identity=identity),
        CLEAR_HTTP2: Way(is_http2=True, upstream="http2"), SECURE_HTTP2: Way(is_http2=True, identity=identity, upstream="http2"),
        CALLS: Way(is_http2=True, upstream="grpc"),
    }


class Requests:
    """What is sent on a way: a small GET, or a call with its message."""

    def __init__(self, world):
        self.message = world.file("question", QUESTION)
        self.token = world.issuer.sign("RS256")

    def load(self, way):
        if not way.is_grpc:
            return {"target": ORDERS}
        return {"target": METHOD, "body": self.message, "headers": ["content-type: application/grpc", "te: trailers"]}

    def checked(self, way):
        return {"target": METHOD, "call": self.message} if way.is_grpc else {"target": ORDERS}

    def measure(self, program, way, seconds):
        return h2load.measure(program, self.token, LOAD_CORES, [*LOAD, "-D", seconds], **self.load(way))


def start_calls(world):
    world.grpc_port = free_port()
    world.start("calls", nghttpx.answering_calls(world, world.grpc_port, METHOD, ANSWER), world.grpc_port, LOAD_CORES)


def run(options):
    with World(options) as world:
        start_calls(world)
        chosen = ways(Identity(world.directory))
        requests = Requests(world)
        rows = []
        for group, way in chosen.items():
            add_all(world, rows, group, way, requests)
        interleave(options, rows, lambda row, seconds: requests.measure(row.program, chosen[row.group], seconds))
    return [Table("http2", "HTTP/2", NOTE, rows, ["cpu", "rate", "rss"], group_title="Way")]


def add_all(world, rows, group, way, requests):
    sent = requests.checked(way)

    def add(name, command, check, *known):
        def checked(program):
            program.is_secure = way.identity is not None
            check(program, *known, **sent)
        contender.add(world, rows, name, command, checked, group)

    plain, judged = checks.check_plain_http2, (checks.check_verifying_http2, world.issuer, "RS256")
    # nginx speaks HTTP/2 to upstreams for gRPC only.
    if way.upstream != "http2":
        add(contender.NGINX_PLAIN, lambda port: nginx.plain(world, port, way=way), plain)
    add(contender.NGHTTPX_PLAIN, lambda port: nghttpx.plain(world, port, way), plain)
    add(contender.HAPROXY_PLAIN, lambda port: haproxy.plain(world, port, way=way), plain)
    add(contender.ENVOY_CACHED, lambda port: envoy.verifying(world, port, 1000, way=way), *judged)
    add(contender.BEARWARD, lambda port: bearward.verifying(world, port, way=way, limits=bearward.LIMITS), *judged)


NOTE = (
    "One RS256 token seen before, 16 connections with ten requests at once, by h2load: a small GET, and for gRPC a unary call with messages of "
    "5 + 32 bytes both ways. TLS 1.3 with an ECDSA certificate on P-256. Bearward with all its limits and deadlines. The upstreams are "
    "nginx, and nghttpd for the calls. No access logs.")
