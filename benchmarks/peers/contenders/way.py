"""Which protocols a request takes on its way: to the contender, and on to the upstream."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """`identity`: the certificate of a listener with TLS. `upstream`: `http1`, `http2`, or `grpc`, which is HTTP/2 to a server of calls."""

    is_http2: bool = False
    identity: object = None
    upstream: str = "http1"

    @property
    def is_grpc(self):
        return self.upstream == "grpc"

    @property
    def is_http2_upstream(self):
        return self.upstream != "http1"

    def upstream_port(self, world):
        return getattr(world, {"http1": "upstream_port", "http2": "http2_port", "grpc": "grpc_port"}[self.upstream])


HTTP1 = Way()
