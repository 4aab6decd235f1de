"""h2load, and what it says."""

import os
import re
import subprocess

from measuring.load import LoadFailed


def measure(program, token, cores, arguments, target="/api/orders/7"):
    """Drives one program alone over TLS and says what a request cost it."""
    before = program.cpu_seconds()
    command = ["h2load", "-t1", *arguments, "-H", f"Authorization: Bearer {token}", f"https://127.0.0.1:{program.port}{target}"]
    done = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores))
    spent = program.cpu_seconds() - before
    rate = re.search(r"finished in [\d.]+m?s, ([\d.]+) req/s", done.stdout)
    counts = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed", done.stdout)
    if done.returncode != 0 or not rate or not counts or counts[2] == "0":
        raise LoadFailed(f"h2load failed: {done.stdout.strip()[-300:]}")
    if counts[1] != counts[2]:
        raise LoadFailed(f"{int(counts[1]) - int(counts[2])} of {counts[1]} answers had the wrong status")
    return {"cpu": spent / int(counts[2]) * 1e6, "rate": float(rate[1]), "rss": program.resident_bytes()}
