"""One `bearward serve` under test, and what the system and its admin listener say of it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import urllib.request

START_LIMIT = 60
# The gateway's own drain is shorter.
END_LIMIT = 45


class Gateway:
    """The supervisor as a child of this process, and its worker."""

    def __init__(self, name, binary, directory, text, launcher=()):
        """`launcher`: a program and its arguments that put in their place what follows them."""
        self.name = name
        self.log = directory / f"{name}.log"
        file = directory / f"{name}.yaml"
        file.write_text(text)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([*launcher, binary, "serve", "--config", str(file)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.ports = self.wait_until_ready()
            self.worker = self.workers()[0]
        except BaseException:
            self.kill()
            raise

    def wait_until_ready(self):
        end = time.monotonic() + START_LIMIT
        while time.monotonic() < end and self.process.poll() is None:
            text = self.log.read_text(errors="replace")
            lines = {line["message"]: line for line in map(json.loads, re.findall(r'^\{.*"message":.*\}$', text, re.MULTILINE))}
            if {"Ready", "Listening", "Admin listener ready"} <= lines.keys() and self.workers():
                return [int(address.rpartition(":")[2]) for address in lines["Listening"]["addresses"]]
            time.sleep(0.05)
        raise SystemExit(f"chaos: the gateway `{self.name}` did not start:\n{self.log.read_text(errors='replace')}")

    @property
    def admin(self):
        """The port of the admin listener, which each worker takes anew."""
        return int(re.findall(r'"message":"Admin listener ready".*"address":"[^"]*:(\d+)"', self.log.read_text(errors="replace"))[-1])

    def unexpected_ends(self):
        """What the supervisor said of workers that ended without being told to, and of upgrades that failed."""
        return re.findall(r'^.*"message":"(?:A worker ended|The upgrade failed|Giving up).*$', self.log.read_text(errors="replace"), re.MULTILINE)

    def workers(self):
        """The supervisor's children; one, unless something ended."""
        pid = self.process.pid
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as children:
                return [int(child) for child in children.read().split()]
        except OSError:
            return []

    # MARK: Figures of the worker

    def resident(self):
        """Resident memory in KiB; 0 if the worker is gone."""
        try:
            with open(f"/proc/{self.worker}/status") as status:
                return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
        except (OSError, TypeError):
            return 0

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.worker}/fd"))
        except OSError:
            return 0

    def metric(self, name):
        """One figure of `/metrics`, as Prometheus would see it; nil without an answer or without the figure."""
        return next(iter(self.metrics(name).values()), None)

    def metrics(self, name):
        """The figures of a family by their labels; none without an answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=10) as answer:
                lines = re.findall(rf"^{name}(?:{{([^}}]*)}})? (\S+)$", answer.read().decode(), re.MULTILINE)
        except OSError:
            return {}
        return {labels: float(value) for labels, value in lines}

    def stop(self):
        """Tells it to end; the exit status, or nil if it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self):
        """Ends it at once, and its workers, which may be stuck."""
        workers = self.workers()
        self.process.kill()
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        self.process.wait()

    def last_words(self, lines=12):
        """What its log says of an end that was none of ours, and how it ends."""
        log = self.log.read_text(errors="replace").splitlines()
        crash = [line for line in log if re.search(r"Fatal error|Precondition|[Cc]rash|was ended by", line)]
        return "\n".join(crash[:lines] + ["  …"] + log[-lines:])
