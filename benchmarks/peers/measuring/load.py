"""wrk, and what it says."""

import json
import os
import subprocess
from pathlib import Path

from hdrh.histogram import HdrHistogram

from measuring.running import LoadFailed

SCRIPT = Path(__file__).resolve().parent.parent / "load.lua"


def request_file(path, rows):
    """Writes the requests to send in rotation: (method, target, token)."""
    path.write_text("".join(f"{method}\t{target}\t{token}\n" for method, target, token in rows))
    return path


def start(port, requests, seconds, cores, connections=64, body=0, rate=0, secure=False):
    """Starts the load; `finish` waits for it."""
    url = f"{'https' if secure else 'http'}://127.0.0.1:{port}/"
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", SCRIPT, url, "--"]
    command += [requests, body, rate]
    return subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores))


def finish(load, expected="good"):
    """The figures of one load. `good`: every answer must be below 400; `refused`: every one must not; `any`: both may come."""
    output, _ = load.communicate()
    line = next((line for line in output.splitlines() if line.startswith("{")), None)
    if load.returncode != 0 or line is None:
        raise LoadFailed(f"wrk failed: {output.strip()[-300:]}")
    figures = json.loads(line)
    figures |= percentiles(figures.pop("latencies"))
    if figures["answered"] == 0:
        raise LoadFailed("no request was answered")
    if figures["broken"] > 0:
        raise LoadFailed(f"{figures['broken']} connections broke or timed out beside {figures['answered']} answers")
    wrong = {"good": figures["refused"], "refused": figures["answered"] - figures["refused"], "any": 0}[expected]
    if wrong > 0:
        raise LoadFailed(f"{wrong} of {figures['answered']} answers had the wrong status")
    return figures


def percentiles(latencies):
    """By HdrHistogram with three digits, from one microsecond to a minute; `latencies` has each with its count."""
    histogram = HdrHistogram(1, 60_000_000, 3)
    for latency, count in latencies:
        histogram.record_value(latency, count)
    named = {name: histogram.get_value_at_percentile(float(name[1:])) for name in ["p50", "p99", "p99.9"]}
    return named | {"slowest": histogram.get_max_value()}


def measure(program, requests, seconds, cores, expected="good", **options):
    """Drives one program alone and says what a request cost it."""
    before = program.cpu_seconds()
    figures = finish(start(program.port, requests, seconds, cores, **options), expected)
    return sample(figures, program.cpu_seconds() - before, program)


def sample(figures, cpu_seconds, program):
    """Latencies are in microseconds, as the CPU time of one request is."""
    took = figures["microseconds"] / 1e6
    return {
        "cpu": cpu_seconds / figures["answered"] * 1e6,
        "rate": figures["answered"] / took,
        "mebibytes": figures["bytes"] / took / 1048576,
        "p50": figures["p50"], "p99": figures["p99"], "p99.9": figures["p99.9"],
        "rss": program.resident_bytes(),
    }
