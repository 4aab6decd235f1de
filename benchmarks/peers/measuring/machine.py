"""What the figures were measured on and with."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

from measuring.tools import envoy_binary


def description(binary):
    """Name and value of everything a reader needs to judge the figures, in the order to print them."""
    return {
        "Date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "Processor": f"{processor()}, {os.cpu_count()} cores",
        "Memory": memory(),
        "System": f"{first_line(['lsb_release', '-ds']) or distribution()}, Linux {platform.release()}",
        "Bearward": revision(binary),
        "HAProxy": version(["haproxy", "-v"]),
        "Envoy": version([envoy_binary() or "envoy", "--version"], r"/(\d+\.\d+\.\d+)/"),
        "nginx": version(["nginx", "-v"]),
        "nghttpx, nghttpd and h2load": version(["h2load", "--version"]),
        "wrk": version(["wrk", "-v"]),
        "Swift": version(["swift", "--version"]),
        "libcrypto": first_line(["openssl", "version"]),
    }


def processor():
    match = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return match.group(1) if match else platform.machine()


def memory():
    match = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    return f"{int(match.group(1)) / 1048576:.0f} GiB" if match else "unknown"


def distribution():
    match = re.search(r'PRETTY_NAME="(.+)"', Path("/etc/os-release").read_text())
    return match.group(1) if match else "unknown"


def revision(binary):
    """The commit that a binary was built from, as it says itself."""
    said = re.search(r"\((\w+)(\+?)\)", output([str(binary), "--version"])) if binary else None
    commit, changed = (said[1][:8], said[2]) if said else ("unknown", "")
    return f"commit {commit}{' with local changes' if changed else ''}, release build"


def version(command, pattern=r"(\d+\.\d+(?:\.\d+)?)"):
    """The first dotted number that the program says of itself, or what the pattern finds."""
    match = re.search(pattern, output(command))
    return match.group(1) if match else "not installed"


def first_line(command):
    lines = output(command).strip().splitlines()
    return lines[0] if lines else ""


def output(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
