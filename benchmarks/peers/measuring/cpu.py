"""What a request costs a gateway in CPU, and how long it takes, under the load of h2load."""

import os
import time
from pathlib import Path


def cpu_seconds(group):
    """User and system time of the processes of a group."""
    ticks = 0
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def of_a_request(program, token, connections, count, is_http2=False):
    """Microseconds of CPU, and milliseconds."""
    from measuring import h2load
    began, before = time.monotonic(), cpu_seconds(program.process.pid)
    way = [] if is_http2 else ["--h1"]
    h2load.finish(h2load.start(program, token, {1}, ["-c", connections, "-m1", "-n", count, *way]), False)
    seconds = time.monotonic() - began
    return (cpu_seconds(program.process.pid) - before) / count * 1e6, seconds * connections / count * 1e3
