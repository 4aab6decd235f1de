"""Workers that crash and are replaced while name servers are silent, in a network of its own.

Started as root by `unshare --net --mount`; prints a line for each thing that was wrong, and ends with 1 if there was any.
"""
import http.client
import http.server
import json
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

import children  # noqa: E402

program, directory = sys.argv[1:]
complaints = []


def check(condition, what):
    if not condition:
        complaints.append(what)
        print("WRONG:", what, flush=True)


def eventually(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return check(False, what)
        time.sleep(0.05)


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256


mind = "here"
addresses = {"near": [127, 0, 0, 1], "far": [192, 0, 2, 1]}


def serve_names():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, asker = server.recvfrom(512)
        if mind == "silent":
            continue
        end = query.index(b"\0", 12) + 5
        question, kind = query[12:end], struct.unpack(">H", query[end - 4:end - 2])[0]
        address = addresses.get(query[13:13 + query[12]].decode())
        records, count = b"", 0
        if kind == 1 and address and mind == "here":
            records, count = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + bytes(address), 1
        code = 3 if mind == "nxdomain" else 0
        server.sendto(query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, count, 0, 0) + question + records, asker)


def get(path, timeout=30):
    connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=timeout)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


class Gateway:
    def __init__(self, state):
        self.config = os.path.join(directory, "names.yaml")
        self.log = os.path.join(directory, "log")
        with open(self.config, "w") as file:
            file.write(f"""
listen: 127.0.0.1:8080
event_loops: 1
access_log: none
{"state_directory: " + state if state else ""}
timeouts: {{drain: 1s, drain_delay: 0s}}
resources:
  near: {{at: [/near], upstream: "http://near.test:9000", rules: {{GET /**: {{public: true}}}}}}
  far: {{at: [/far], upstream: "http://far.test:9000", rules: {{GET /**: {{public: true}}}}}}
  each: {{at: [/each], upstream: {{targets: [{{dns: "http://near.test:9000"}}]}}, rules: {{GET /**: {{public: true}}}}}}
""")
        self.state = state
        self.process = children.start([program, "serve", "--config", self.config], stderr=open(self.log, "w"))
        eventually(lambda: "Listening" in self.lines(), "the gateway does not listen")

    def lines(self):
        with open(self.log) as file:
            return file.read()

    def workers(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [int(pid) for pid in file.read().split()]

    def saved(self):
        if self.state:
            try:
                with open(os.path.join(self.state, "names.json"), "rb") as file:
                    return file.read()
            except FileNotFoundError:
                return b""
        for entry in os.scandir(f"/proc/{self.process.pid}/fd"):
            if os.readlink(entry.path).startswith("/memfd:"):
                with open(entry.path, "rb") as file:
                    return file.read()
        return b""

    def stop(self):
        self.process.terminate()
        check(self.process.wait(timeout=40) == 0, "the gateway ended with another status than 0")


def statuses(seconds, *paths):
    """Asks for so long, and at least ten times for each path."""
    found = {}
    begin = time.monotonic()
    rounds = 0
    while time.monotonic() - begin < seconds or rounds < 10:
        for path in paths:
            try:
                status = get(path)
            except OSError as error:
                status = repr(error)
            found[status] = found.get(status, 0) + 1
        rounds += 1
        time.sleep(0.02)
    return found


ALL = ("/near/x", "/far/x", "/each/x")
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
subprocess.run(["ip", "address", "add", "192.0.2.1/32", "dev", "lo"], check=True)
names = os.path.join(directory, "resolv.conf")
with open(names, "w") as file:
    file.write("nameserver 127.0.0.1\n")
subprocess.run(["mount", "--bind", names, "/etc/resolv.conf"], check=True)
threading.Thread(target=serve_names, daemon=True).start()
threading.Thread(target=Server(("0.0.0.0", 9000), Upstream).serve_forever, daemon=True).start()

for state in (None, os.path.join(directory, "state")):
    where = "state_directory" if state else "the supervisor's file"
    mind = "here"
    gateway = Gateway(state)
    found = statuses(1, *ALL)
    check(set(found) == {200}, f"{where}: at the start: {found}")
    eventually(lambda: b"near.test" in gateway.saved() and b"far.test" in gateway.saved(), f"{where}: nothing is saved")
    mind = "silent"
    for crash in range(2):
        old = gateway.workers()
        check(len(old) == 1, f"{where}: the workers are {old}")
        os.kill(old[0], signal.SIGKILL)
        found = statuses(4, *ALL)
        check(set(found) == {200}, f"{where}: after crash {crash + 1} while name servers are silent: {found}")
        check(gateway.workers() != old, f"{where}: the worker is the old one")
    old = gateway.workers()
    gateway.process.send_signal(signal.SIGUSR2)
    found = statuses(6, *ALL)
    check(set(found) == {200}, f"{where}: an upgrade while name servers are silent: {found}")
    eventually(lambda: len(gateway.workers()) == 1 and gateway.workers() != old, f"{where}: the upgrade does not end")
    check("the previous process's addresses are used" in gateway.lines(), f"{where}: the log does not say so")
    if state:
        mode = os.stat(os.path.join(state, "names.json")).st_mode
        check(stat.S_IMODE(mode) == 0o600, f"the file's mode is {oct(mode)}")
        gateway.stop()
        gateway = Gateway(state)
        found = statuses(4, *ALL)
        check(set(found) == {200}, f"a start while name servers are silent: {found}")
    # They come back, and what they say counts.
    mind = "here"
    addresses["near"] = [127, 0, 0, 2]
    eventually(lambda: b"127.0.0.2" in gateway.saved(), f"{where}: a new address is not saved")
    mind = "nxdomain"
    os.kill(gateway.workers()[0], signal.SIGKILL)
    found = statuses(3, "/near/x", "/far/x")
    check(200 not in found, f"{where}: saved addresses are used though name servers say that there are none: {found}")
    gateway.stop()
    addresses["near"] = [127, 0, 0, 1]

# A file that nobody can have meant is ignored, with a line.
mind = "silent"
path = os.path.join(state, "names.json")
boot = open("/proc/sys/kernel/random/boot_id").read().strip()
uptime = int(float(open("/proc/uptime").read().split()[0]) * 1000)


def text(**changes):
    entries = [{"name": f"{name}.test", "learnt_at": uptime, "addresses": "127.0.0.1"} | changes.get("entry", {}) for name in addresses]
    return json.dumps({"version": 1, "boot": boot, "names": entries} | changes.get("root", {}))


def put(content, mode=0o600):
    if os.path.lexists(path):
        os.remove(path)
    with open(path, "w") as file:
        file.write(content)
    os.chmod(path, mode)


def link():
    put(text())
    os.rename(path, path + ".other")
    os.symlink(path + ".other", path)


def foreign():
    put(text())
    os.chown(path, 65534, 65534)


cases = {
    "garbage": (lambda: put("{\"version\":1,"), True), "a future answer": (lambda: put(text(entry={"learnt_at": uptime + 10**9})), True),
    "another boot": (lambda: put(text(root={"boot": "0" * 8 + boot[8:]})), False), "a symbolic link": (link, True),
    "another owner": (foreign, True), "one that others may write": (lambda: put(text(), 0o666), True),
    "an hour and more": (lambda: put(text(entry={"learnt_at": max(0, uptime - 3_700_000)})) if uptime > 3_700_000 else put("x"), None),
}
put(text())
gateway = Gateway(state)
check(get("/near/x") == 200, "the sound file is not used, so that nothing is shown by the others")
gateway.stop()
for name, (make, isLogged) in cases.items():
    make()
    gateway = Gateway(state)
    status = get("/near/x")
    check(status != 200, f"{name}: is used")
    if isLogged is not None:
        check(("Saved addresses of upstreams' names ignored" in gateway.lines()) == isLogged, f"{name}: the log is {gateway.lines()}")
    gateway.stop()
sys.exit(1 if complaints else 0)
