"""The gateway in a network of its own, whose names do not resolve and whose interface goes away.

Started as root by `unshare --net --mount`; prints a line for each thing that was wrong, and ends with 1 if there was any.
"""
import base64
import http.client
import http.server
import json
import os
import socket
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


def run(*command):
    subprocess.run(command, check=True)


TENTATIVE = 0x40


def wait_for_address(text):
    """Waits until an IPv6 address may be used: the kernel adds it as tentative, and makes it usable a little later."""
    wanted = socket.inet_pton(socket.AF_INET6, text).hex()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with open("/proc/net/if_inet6") as table:
            if any(row[0] == wanted and not int(row[4], 16) & TENTATIVE for row in map(str.split, table)):
                return
        time.sleep(0.02)
    raise SystemExit(f"the address {text} does not become usable")


# The upstream, and the name server of whatever mind it is told to be.

class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b"x" * (200_000 if "large" in self.path else 2)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        if "close" in self.path:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Upstream6(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


mind = "nxdomain"
# Names that have a mind of their own.
minds = {}


def serve_names():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, asker = server.recvfrom(512)
        threading.Thread(target=answer, args=(server, query, asker, mind), daemon=True).start()


def answer(server, query, asker, mind):
    mind = minds.get(query[13:13 + query[12]].decode(), mind)
    if mind == "silent":
        return
    if mind == "late":
        time.sleep(10)
    end = query.index(b"\0", 12) + 5
    question, kind = query[12:end], struct.unpack(">H", query[end - 4:end - 2])[0]
    code = {"nxdomain": 3, "servfail": 2}.get(mind, 0)
    records = b""
    count = 0
    if kind == 1 and mind in ("many", "late"):
        for number in range(20):
            records += b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + bytes([192, 0, 2, number])
            count += 1
    if kind == 1 and mind == "here":
        records, count = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + bytes([127, 0, 0, 1]), 1
    if kind == 28 and mind == "six":
        records, count = b"\xc0\x0c" + struct.pack(">HHIH", 28, 1, 1, 16) + socket.inet_pton(socket.AF_INET6, "2001:db8::1"), 1
    server.sendto(query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, count, 0, 0) + question + records, asker)


# The gateway.

def get(path, token=None, port=8080, host="127.0.0.1", timeout=20):
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    connection.request("GET", path, headers={"Authorization": "Bearer " + token} if token else {})
    response = connection.getresponse()
    return response.status, len(response.read())


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


now = int(time.time())
token = ".".join([
    part({"alg": "ES256", "typ": "at+jwt", "kid": "k"}),
    part({"iss": "https://far.example", "aud": "api", "sub": "s", "client_id": "c", "scope": "read", "iat": now, "exp": now + 600}),
    "A" * 86])

config = os.path.join(directory, "network.yaml")
with open(config, "w") as file:
    file.write("""
listen: ["127.0.0.1:8080", "[::1]:8081"]
event_loops: 1
access_log: none
issuers:
  far: {issuer: "https://far.example", jwks_uri: "https://keys.far.example/jwks", algorithms: [ES256], token_type: at+jwt}
resources:
  open: {at: [/open], upstream: "http://127.0.0.1:9000", rules: {GET /**: {public: true}}}
  six: {at: [/six], upstream: "http://[::1]:9001", rules: {GET /**: {public: true}}}
  near: {at: [/near], upstream: "http://near.test:9000", rules: {GET /**: {public: true}}}
  slow: {at: [/slow], upstream: "http://slow.test:9000", rules: {GET /**: {public: true}}}
  api: {at: [/api], issuers: [far], upstream: "http://127.0.0.1:9000", rules: {GET /**: read}}
""")


def start():
    gateway = children.start([program, "serve", "--config", config], stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            if get("/open/x")[0] == 200:
                return gateway
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the gateway does not answer")


def stop(gateway):
    gateway.terminate()
    check(gateway.wait(timeout=40) == 0, "the gateway ended with another status than 0")


run("ip", "link", "set", "lo", "up")
names = os.path.join(directory, "resolv.conf")
with open(names, "w") as file:
    file.write("nameserver 127.0.0.1\noptions timeout:2 attempts:5\n")
run("mount", "--bind", names, "/etc/resolv.conf")
threading.Thread(target=serve_names, daemon=True).start()
threading.Thread(target=http.server.ThreadingHTTPServer(("127.0.0.1", 9000), Upstream).serve_forever, daemon=True).start()
threading.Thread(target=Upstream6(("::1", 9001), Upstream).serve_forever, daemon=True).start()

# F11: names that do not resolve keep nobody waiting for longer than five seconds, and others not at all.
for mind in ["nxdomain", "servfail", "empty", "many", "six", "late", "silent"]:
    gateway = start()
    found = []

    def ask():
        begin = time.monotonic()
        status, _ = get("/api/x", token)
        found.append((status, time.monotonic() - begin))

    asker = threading.Thread(target=ask)
    asker.start()
    slowest = 0.0
    while asker.is_alive():
        begin = time.monotonic()
        check(get("/open/x")[0] == 200, f"{mind}: others are not served")
        slowest = max(slowest, time.monotonic() - begin)
        time.sleep(0.05)
    status, seconds = found[0] if found else (None, 0)
    check(status == 503, f"{mind}: the status is {status}")
    check(seconds < 7, f"{mind}: the request waited {seconds:.1f} s")
    check(slowest < 2, f"{mind}: another request waited {slowest:.1f} s")
    stop(gateway)

# An upstream whose name gets no answer delays nobody but its own requests, and a name that has been resolved outlives its name server.
minds = {"near": "here", "slow": "silent"}
mind = "nxdomain"
gateway = start()
found = []
asker = threading.Thread(target=lambda: found.append(get("/slow/x")))
asker.start()
slowest = 0.0
answers = 0
while asker.is_alive():
    begin = time.monotonic()
    # Another connection each time, so that the address is asked for each time.
    status = get("/near/close")[0]
    check(status == 200, f"a healthy name beside a slow one: {status}")
    slowest = max(slowest, time.monotonic() - begin)
    answers += 1
    time.sleep(0.05)
check(slowest < 2, f"a healthy name waited {slowest:.1f} s for a slow one")
check(answers > 20 and [status for status, _ in found] == [504], f"{answers} answers beside the slow one, which got {found}")
minds = {"near": "servfail"}
# Longer than an answer is used without another look.
time.sleep(12)
check(get("/near/close")[0] == 200, "the last good answer is not used")
stop(gateway)

# F44: an interface that goes and comes back, one that takes little at a time, and no IPv4.
mind = "nxdomain"
gateway = start()
kept = http.client.HTTPConnection("127.0.0.1", 8080, timeout=10)
kept.request("GET", "/open/x")
kept.getresponse().read()
run("ip", "link", "set", "lo", "down")
time.sleep(5)
run("ip", "link", "set", "lo", "up")
begin = time.monotonic()
status = None
while status != 200 and time.monotonic() - begin < 10:
    try:
        status, _ = get("/open/x", timeout=2)
    except OSError:
        time.sleep(0.1)
check(status == 200 and time.monotonic() - begin < 5, "it did not recover in five seconds")
kept.request("GET", "/open/x")
check(kept.getresponse().read() == b"xx", "a connection did not outlast the pause")
run("ip", "link", "set", "lo", "mtu", "576")
check(get("/open/large") == (200, 200_000), "a large answer in small packets")
run("ip", "link", "set", "lo", "mtu", "65536")
# Below 1,280 bytes there is no IPv6, and its address went.
subprocess.run(["ip", "address", "add", "::1/128", "dev", "lo"], check=False, stderr=subprocess.DEVNULL)
wait_for_address("::1")
run("ip", "address", "del", "127.0.0.1/8", "dev", "lo")
check(get("/six/large", port=8081, host="::1") == (200, 200_000), "IPv6 alone")
stop(gateway)
sys.exit(1 if complaints else 0)
