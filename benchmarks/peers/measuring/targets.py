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
    """`figures(tables)` gives one number a round; their median must not pass `limit`, or must reach it when `at_least`."""

    text: str
    limit: float
    figures: Callable
    at_least: bool = False
    unit: str = ""

    def verdict(self, tables):
        figures = self.figures(tables)
        if not figures:
            return "not measured", ""
        median = statistics.median(figures)
        met = median >= self.limit if self.at_least else median <= self.limit
        spread = f" ({min(figures):.2f}–{max(figures):.2f})" if len(figures) > 1 else ""
        return f"{median:.2f}{self.unit}{spread}", "yes" if met else "**no**"


def compared(table, ours, theirs, our_group=None, their_group=None):
    """CPU time of one row over another's, round by round."""
    def figures(tables):
        measured = tables.get(table)
        if measured is None:
            return []
        return ratios(measured.row(ours, our_group), measured.row(theirs, their_group))
    return figures


def measured(table, name, measure, scale=1.0):
    def figures(tables):
        row = tables[table].row(name) if table in tables else None
        return [value / scale for value in row.values(measure)] if row else []
    return figures


def every_token_new(algorithm):
    return compared("new", contender.BEARWARD_UNCACHED, contender.HAPROXY, algorithm, algorithm)


TARGETS = [
    Target("token seen before ÷ HAProxy plain, CPU", 1.15, compared("seen", contender.BEARWARD, contender.HAPROXY_PLAIN)),
    Target("the same with both access logs on", 1.25, compared("logged", contender.BEARWARD, contender.HAPROXY_PLAIN)),
    Target("over TLS, HTTP/1.1, token seen before ÷ HAProxy plain over TLS, CPU", 1.25,
           compared("edge", contender.BEARWARD, contender.HAPROXY_PLAIN)),
    Target("over TLS, HTTP/2, token seen before ÷ Envoy with its token cache, CPU", 1.25,
           compared("edge2", contender.BEARWARD, contender.ENVOY_CACHED)),
    *(Target(f"HTTP/2, {way} ÷ HAProxy plain, CPU", 1.5,
             compared("http2", contender.BEARWARD, contender.HAPROXY_PLAIN, way, way)) for way in WAYS),
    Target(f"HTTP/2, {WAYS[0]} ÷ Envoy with its token cache, CPU", 0.4,
           compared("http2", contender.BEARWARD, contender.ENVOY_CACHED, WAYS[0], WAYS[0])),
    Target("new TLS connections per second of CPU ÷ HAProxy's", 0.90,
           compared("edge-new", contender.HAPROXY_PLAIN, contender.BEARWARD), at_least=True),
    Target("token seen before ÷ Envoy with its token cache, CPU", 0.25, compared("seen", contender.BEARWARD, contender.ENVOY_CACHED)),
    Target("every token new, RS256 ÷ HAProxy jwt_verify, CPU", 1.00, every_token_new("RS256")),
    Target("every token new, ES256 ÷ HAProxy jwt_verify, CPU", 0.95, every_token_new("ES256")),
    Target("every token new, ES384 ÷ HAProxy jwt_verify, CPU", 1.02, every_token_new("ES384")),
    Target("100,000 rules ÷ 10 rules, CPU", 1.05, compared("rules", contender.BEARWARD, contender.BEARWARD, "100,000", "10")),
    Target("two event loops ÷ one, CPU", 1.15, compared("loops", TWO, ONE)),
    Target("good traffic that completes beside forged tokens", 0.95, measured("flood", contender.BEARWARD, "completed"), at_least=True),
    Target("p99 of good traffic beside forged tokens ÷ alone", 5, measured("flood", contender.BEARWARD, "p99_ratio")),
    Target("resident memory of an idle connection", 8, measured("idle", contender.BEARWARD, "per_connection", 1024), unit=" KiB"),
]
