"""Request heads that a grammar makes and chance spoils, judged by Bearward, HAProxy and nginx.

What another refuses, Bearward refuses too, or it is of a class that is explained below. Prints what is not, and ends with 1 if there is any.
"""
import os
import random
import re
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import children  # noqa: E402

bearward, haproxy, nginx, directory, count, seed = sys.argv[1:]
chance = random.Random(int(seed))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


# The three.

ports = {name: free_port() for name in ("bearward", "haproxy", "nginx")}


def write(name, text):
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        file.write(text)
    return path


nginx_file = write("nginx.conf", f"""
daemon off; master_process off; pid {directory}/nginx.pid; error_log /dev/null;
events {{}}
http {{
  access_log off; client_body_temp_path {directory}/body; client_header_timeout 2s; client_body_timeout 2s;
  server {{ listen 127.0.0.1:{ports["nginx"]}; location / {{ return 200 "ok"; }} }}
}}
""")
haproxy_file = write("haproxy.cfg", f"""
defaults
  mode http
  timeout client 2s
  timeout http-request 2s
frontend all
  bind 127.0.0.1:{ports["haproxy"]}
  http-request return status 200 content-type text/plain string ok
""")
bearward_file = write("bearward.yaml", f"""
listen: 127.0.0.1:{ports["bearward"]}
event_loops: 1
access_log: none
timeouts: {{head: 2s, body_idle: 2s}}
issuers: {{}}
resources: {{open: {{at: [/], upstream: "http://127.0.0.1:{ports["nginx"]}", rules: {{ANY /**: {{public: true}}}}}}}}
""")
commands = [[nginx, "-p", directory, "-c", nginx_file], [haproxy, "-q", "-db", "-f", haproxy_file], [bearward, "serve", "--config", bearward_file]]
for command in commands:
    children.start(command, stderr=subprocess.DEVNULL)


def status(port, head):
    """The status of the answer; None if the connection ended without one, 0 if nothing came in time."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head)
        answer = b""
        try:
            while b"\r\n" not in answer:
                more = connection.recv(4096)
                if not more:
                    return None
                answer += more
        except (TimeoutError, ConnectionError):
            return 0 if not answer else None
        found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
        return int(found[1]) if found else None


def wait_for_all():
    for name, port in ports.items():
        for _ in range(200):
            try:
                if status(port, b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") == 200:
                    break
            except OSError:
                time.sleep(0.05)
        else:
            raise SystemExit(f"{name} does not answer")


# The grammar, and chance.

METHODS = [b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"PATCH"]
TARGETS = [b"/", b"/a/b?c=d", b"/x", b"/x?y", b"/%41b", b"/a;b=c", b"http://a.example/x", b"*", b"/?", b"/a//b", b"/..", b"/a#b"]
FIELDS = [b"Host: a.example", b"Content-Length: 0", b"Transfer-Encoding: chunked", b"Accept: */*", b"X: y", b"Connection: close", b"Connection: keep-alive, x",
          b"X-Some: value", b"Accept: */*", b"Expect: 100-continue", b"Content-Type: text/plain", b"TE: trailers", b"Upgrade: h2c",
          b"Authorization: Basic YTpi", b"Cookie: a=b; c=d", b"X_Under: score", b"X-Empty:"]
SPOILERS = [b"\r", b"\n", b"\0", b"\t", b" ", b":", b",", b";", b"\x0b", b"\x0c", b"\x7f", b"\x80", b"\xff", b"\"", b"(", b"{", b"_", b"%", b"0", b"#",
            b"\r\n", b"\r\n ", b"@", b"\\", b"|"]


def head():
    lines = [chance.choice(METHODS) + b" " + chance.choice(TARGETS) + b" HTTP/1." + chance.choice([b"1", b"1", b"1", b"0"]), FIELDS[0]]
    lines += [chance.choice(FIELDS) for _ in range(chance.randrange(4))]
    text = b"\r\n".join(lines) + b"\r\n\r\n"
    for _ in range(chance.choice([0, 0, 1, 1, 2])):
        place = chance.randrange(len(text))
        width = chance.choice([0, 0, 1])
        text = text[:place] + chance.choice(SPOILERS) + text[place + width:]
    # A body that ends, whatever the head says of it.
    return text if text.endswith(b"\r\n\r\n") else text + b"\r\n\r\n"


# What others refuse and Bearward does not.
EXPLAINED = {
    # On a public rule nobody reads credentials, and they do not go on.
    "credentials twice": re.compile(rb"(?is)\nauthorization:.*\nauthorization:"),
    # RFC 9112 §5: spaces and tabs around a value are no part of it. It goes on without them.
    "a tab around Host": re.compile(rb"(?i)\nhost:[ \t]*\t|\nhost:[^\r]*\t\r"),
}


def is_refused(answer):
    return answer is None or answer == 0 or answer in (400, 405, 408, 411, 413, 414, 417, 431, 501, 505)


unexplained = {}
refused = 0
hangs = []
try:
    wait_for_all()
    for _ in range(int(count)):
        text = head()
        answers = {name: status(port, text + b"0\r\n\r\n") for name, port in ports.items()}
        refused += is_refused(answers["bearward"])
        # Half a head may wait for its end, a whole one may not.
        if answers["bearward"] == 0 and answers["haproxy"] != 0:
            hangs.append(text)
        for name in ("haproxy", "nginx"):
            if is_refused(answers[name]) and not is_refused(answers["bearward"]):
                if not any(pattern.search(text) for pattern in EXPLAINED.values()):
                    unexplained[text] = answers
finally:
    children.end()
for text, answers in list(unexplained.items())[:40]:
    print(answers, text)
for text in hangs[:10]:
    print("no answer", text)
print(f"{count} heads, {refused} refused, {len(unexplained)} unexplained, {len(hangs)} without an answer")
sys.exit(1 if unexplained or hangs or not refused else 0)
