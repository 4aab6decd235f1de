"""One program, pinned to its cores: started, watched, ended."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path


class DidNotStart(Exception):
    """A program that ended or did not listen in time; says the end of its log."""


class LoadFailed(Exception):
    """Answers that were not those expected, or a load generator that ended badly."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Running:
    """A program that listens on `port` of 127.0.0.1, by TLS if it `is_secure`, and all processes that it starts."""

    is_secure = False

    def __init__(self, name, command, port, cores, log, deadline=30):
        self.name, self.port, self.log = name, port, Path(log)
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.wait_until_listening(deadline)

    def wait_until_listening(self, deadline):
        end = time.monotonic() + deadline
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.005)
        self.stop()
        raise DidNotStart(f"{self.name} did not start within {deadline} s: {self.last_words()}")

    def last_words(self):
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return " / ".join([line for line in lines if "FD limit" not in line][-3:])[-600:] or "it said nothing"

    def processes(self):
        """The process and its descendants: a program may have a supervisor above the process that does the work."""
        parents = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            fields = stat_fields(entry)
            if fields:
                parents.setdefault(int(fields[1]), []).append(int(entry.parent.name))
        found, waiting = [], [self.process.pid]
        while waiting:
            found.append(waiting.pop())
            waiting += parents.get(found[-1], [])
        return found

    def cpu_seconds(self):
        """User and system time of all its threads so far, by the scheduler's own clock."""
        spent = 0
        for process in self.processes():
            for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
                try:
                    spent += int(thread.read_text().split()[0])
                except OSError:
                    continue
        return spent / 1e9

    def resident_bytes(self):
        total = 0
        for process in self.processes():
            try:
                lines = Path(f"/proc/{process}/status").read_text().splitlines()
            except OSError:
                continue
            total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))
        return total

    def stop(self):
        """Asks it to end, and makes it end: nothing measured here has anything to save."""
        for attempt, patience in ((signal.SIGTERM, 1.5), (signal.SIGKILL, 10)):
            if self.process.poll() is not None:
                break
            try:
                os.killpg(self.process.pid, attempt)
                self.process.wait(timeout=patience)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


def stat_fields(path):
    """The fields of /proc/PID/stat after the name, which may itself hold spaces: state, parent, …"""
    try:
        return path.read_text().rpartition(")")[2].split()
    except OSError:
        return None
