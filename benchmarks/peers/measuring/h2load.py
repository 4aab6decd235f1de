"""h2load, and what it says."""

import os
import re
import subprocess

from measuring.running import LoadFailed


def start(program, token, cores, arguments, target="/api/orders/7", headers=(), body=None):
    """Starts the load; `finish` waits for it. `body`: a file, which makes it a POST."""
    scheme = "https" if program.is_secure else "http"
    command = ["h2load", "-t1", *arguments, *(["-d", body] if body else [])]
    for header in (f"Authorization: Bearer {token}", *headers):
        command += ["-H", header]
    command.append(f"{scheme}://127.0.0.1:{program.port}{target}")
    return subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores))


def finish(load, refused=False):
    """The figures of one load. Every answer must be a success, or every one a refusal by 4xx."""
    output, _ = load.communicate()
    rate = re.search(r"finished in [\d.]+[mu]?s, ([\d.]+) req/s", output)
    counts = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed", output)
    if refused:
        counts = re.search(r"(\d+) done, .*?, (\d+) 4xx", output, re.DOTALL)
    if load.returncode != 0 or not rate or not counts or counts[2] == "0":
        raise LoadFailed(f"h2load failed: {output.strip()[-300:]}")
    if counts[1] != counts[2]:
        raise LoadFailed(f"{int(counts[1]) - int(counts[2])} of {counts[1]} answers had the wrong status")
    return {"answered": int(counts[2]), "rate": float(rate[1])}


def measure(program, token, cores, arguments, **request):
    """Drives one program alone and says what a request cost it."""
    before = program.cpu_seconds()
    figures = finish(start(program, token, cores, arguments, **request))
    spent = program.cpu_seconds() - before
    return {"cpu": spent / figures["answered"] * 1e6, "rate": figures["rate"], "rss": program.resident_bytes()}
