"""What the gateway is to reach: ratios within one run, on one core."""

import statistics
from dataclasses import dataclass
from typing import Callable

from measuring.results import ratios
from scenarios import rows as contender
from scenarios.http2 import WAYS
from scenarios.loops import ONE, TWO


@dataclass(frozen=True)
class Target:
    """`figures(tables)` gives one number a round; their median must not pass `limit`, or must reach it when `at_least`.

    `noise(tables)` gives the ratio of two rows of the same binary."""

    text: str
    limit: float
    figures: Callable
    at_least: bool = False
    unit: str = ""

    def verdict(self, tables):
        """The figure, whether it is met, and the noise, as the page writes them."""
        figures = self.figures(tables)
        if not figures:
            return "not measured", "", ""
        median = statistics.median(figures)
        met = median >= self.limit if self.at_least else median <= self.limit
        noise = self.figures.noise(tables) if isinstance(self.figures, Compared) else []
        return written(figures, self.unit), "yes" if met else "**no**", written(noise) if noise else ""


def written(figures, unit=""):
    spread = f" ({min(figures):.2f}–{max(figures):.2f})" if len(figures) > 1 else ""
    return f"{statistics.median(figures):.2f}{unit}{spread}"


@dataclass(frozen=True)
class Compared:
    """CPU time of one row over another's, round by round."""

    table: str
    ours: str
    theirs: str
    our_group: str | None = None
    their_group: str | None = None

    def __call__(self, tables):
        measured = tables.get(self.table)
        return ratios(measured.row(self.ours, self.our_group), measured.row(self.theirs, self.their_group)) if measured else []

    def noise(self, tables):
        """The same, of two rows of Bearward's one binary."""
        name, group = (self.ours, self.our_group) if self.ours.startswith(contender.BEARWARD) else (self.theirs, self.their_group)
        return Compared(self.table, name + contender.AGAIN, name, group, group)(tables)


def measured(table, name, measure, scale=1.0):
    def figures(tables):
        row = tables[table].row(name) if table in tables else None
        return [value / scale for value in row.values(measure)] if row else []
    return figures


def every_token_new(algorithm):
    return Compared("new", contender.BEARWARD_UNCACHED, contender.HAPROXY, algorithm, algorithm)


TARGETS = [
    Target("token seen before ÷ HAProxy plain, CPU", 1.15, Compared("seen", contender.BEARWARD, contender.HAPROXY_PLAIN)),
    Target("the same with both access logs on", 1.25, Compared("logged", contender.BEARWARD, contender.HAPROXY_PLAIN)),
    Target("over TLS, HTTP/1.1, token seen before ÷ HAProxy plain over TLS, CPU", 1.25,
           Compared("edge", contender.BEARWARD, contender.HAPROXY_PLAIN)),
    Target("over TLS, HTTP/2, token seen before ÷ Envoy with its token cache, CPU", 1.25,
           Compared("edge2", contender.BEARWARD, contender.ENVOY_CACHED)),
    *(Target(f"HTTP/2, {way} ÷ HAProxy plain, CPU", 1.5,
             Compared("http2", contender.BEARWARD, contender.HAPROXY_PLAIN, way, way)) for way in WAYS),
    Target(f"HTTP/2, {WAYS[0]} ÷ Envoy with its token cache, CPU", 0.4,
           Compared("http2", contender.BEARWARD, contender.ENVOY_CACHED, WAYS[0], WAYS[0])),
    Target("new TLS connections per second of CPU ÷ HAProxy's", 0.90,
           Compared("edge-new", contender.HAPROXY_PLAIN, contender.BEARWARD), at_least=True),
    Target("token seen before ÷ Envoy with its token cache, CPU", 0.25, Compared("seen", contender.BEARWARD, contender.ENVOY_CACHED)),
    Target("every token new, RS256 ÷ HAProxy jwt_verify, CPU", 1.00, every_token_new("RS256")),
    Target("every token new, ES256 ÷ HAProxy jwt_verify, CPU", 0.95, every_token_new("ES256")),
    Target("every token new, ES384 ÷ HAProxy jwt_verify, CPU", 1.02, every_token_new("ES384")),
    Target("two event loops ÷ one, CPU", 1.15, Compared("loops", TWO, ONE)),
    Target("good traffic that completes beside forged tokens", 0.95, measured("flood", contender.BEARWARD, "completed"), at_least=True),
    Target("p99 of good traffic beside forged tokens ÷ alone", 5, measured("flood", contender.BEARWARD, "p99_ratio")),
    Target("resident memory of an idle connection", 8, measured("idle", contender.BEARWARD, "per_connection", 1024), unit=" KiB"),
]
