"""What a run needs around it: files, a certificate, tokens, an upstream, and two gateways in a row."""

import json
import multiprocessing
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.parse
import urllib.request
from dataclasses import dataclass

import upstream
from disturbance import DOMAIN, NAME_SERVER, Disturbance
from gateway import Gateway

AUDIENCE = "https://chaos.example/api"


@dataclass(frozen=True)
class Listener:
    """One listener of the gateway: its name, the rest of its line in the file, and what it speaks."""

    name: str
    line: str
    http1: bool = False
    http2: bool = False
    is_secure: bool = False
    # How often it is chosen.
    weight: int = 2
    # The kind of door that it is; empty: it is none.
    door: str = ""

    @property
    def protocols(self):
        return ("h2",) * self.http2 + ("http/1.1",) * self.http1


TLS = "tls: {certificate: ./edge.pem, key: ./edge.key"
LISTENERS = (
    Listener("plain", "", http1=True, weight=4),
    Listener("plain-both", "protocols: [h2c, http/1.1]", http1=True, http2=True, weight=5),
    Listener("plain-h2c", "protocols: [h2c]", http2=True),
    Listener("tls-both", TLS + "}", http1=True, http2=True, is_secure=True, weight=3),
    Listener("tls-http1", TLS + "}, protocols: [http/1.1]", http1=True, is_secure=True, weight=1),
    Listener("tls-h2", TLS + "}, protocols: [h2]", http2=True, is_secure=True, weight=1),
    Listener("tls-client", TLS + ", client_ca: ./edge.pem, client_certificate: optional}", http1=True, http2=True, is_secure=True, weight=1),
    Listener("redirect", "redirect: https", http1=True, weight=1),
    Listener("door-nginx", "kind: nginx, from: [127.0.0.1/32]", http1=True, weight=2, door="nginx"),
    Listener("door-envoy", "kind: envoy-http, from: [127.0.0.1/32]", http1=True, weight=1, door="envoy-http"),
)  # fmt: skip

# Short, so that they are met; `first_byte` is behind the upstream's silence. `connect` is not: the machine has much else to do.
# All connections come from one address.
LIMITS = """
timeouts: {{handshake: 5s, head: 4s, body_idle: 4s, stream_idle: 10s, idle: 5s, connect: 9s, first_byte: 10s, drain: 20s}}
limits: {{body: 64KiB, failed_verifications_per_address: off}}
"""

# Its upstream speaks HTTP/2: another Bearward, which is under the same watch.
OUTER = """
listen:
{listeners}
doors:
{doors}
admin: 127.0.0.1:0
event_loops: 2
access_log: {log}
token_cache: 2MiB
issuers:
  dev: {{issuer: "{issuer}", jwks_file: ./keys.json, algorithms: [ES256], token_type: at+jwt}}
resources:
  {audience}: {{at: [/api], issuers: [dev], upstream: "http://{host}:{upstream}", rules: {{ANY /**: read}}}}
  open: {{audiences: [{audience}/open], at: [/open], issuers: [dev], upstream: "http://{host}:{upstream}", websocket: true, rules: {{ANY /**: {{public: true}}}}}}
  faulty: {{audiences: [{audience}/faulty], at: [/faulty], issuers: [dev], upstream: "http://{host}:{upstream}", rules: {{ANY /**: {{public: true}}}}}}
  inner: {{audiences: [{audience}/inner], at: [/inner], issuers: [dev], upstream: "h2c://{host}:{inner}", rules: {{ANY /**: {{public: true}}}}}}
""" + LIMITS

INNER = """
listen: {{address: "127.0.0.1:0", protocols: [h2c, http/1.1]}}
admin: 127.0.0.1:0
event_loops: 1
access_log: {log}
issuers:
  dev: {{issuer: "{issuer}", jwks_file: ./keys.json, algorithms: [ES256], token_type: at+jwt}}
resources:
  inner: {{audiences: [{audience}/inner], at: [/inner], issuers: [dev], upstream: "http://{host}:{upstream}", rules: {{ANY /**: {{public: true}}}}}}
""" + LIMITS


class Stand:
    """Everything that runs besides the load; to be used in a `with` statement."""

    def __init__(self, options):
        self.options = options
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bearward-chaos-"))
        self.gateways = []
        self.disturbance = None
        # Connections that reached the upstream.
        self.reached = multiprocessing.Value("Q", 0, lock=False)
        try:
            make_certificate(self.directory)
            issuer, self.tokens = make_tokens(options.dev_binary, self.directory, options.seconds)
            self.start(issuer)
        except BaseException:
            self.end()
            raise

    def start(self, issuer):
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        context = multiprocessing.get_context("fork")
        self.upstream = context.Process(target=upstream.serve, args=(listener, self.reached), daemon=True)
        self.upstream.start()
        # Written either way, since what writes it is under test too.
        log = "./access.log" if self.options.keep else "/dev/null"
        host, launcher = "127.0.0.1", ()
        if self.options.signals:
            host, launcher = f"shop.{DOMAIN}", self.named()
            self.disturbance = Disturbance(self.options.seed)
        names = {"log": log, "host": host, "issuer": issuer, "audience": AUDIENCE, "upstream": listener.getsockname()[1]}
        listener.close()
        inner = Gateway("inner", self.options.binary, self.directory, INNER.format(**names), launcher)
        self.gateways.append(inner)
        listeners, doors = ([each for each in LISTENERS if bool(each.door) == is_door] for is_door in (False, True))
        text = OUTER.format(listeners=lines(listeners), doors=lines(doors), inner=inner.ports[0], **names)
        outer = Gateway("gateway", self.options.binary, self.directory, text, launcher)
        self.gateways.append(outer)
        self.ports = dict(zip((listener.name for listener in listeners + doors), outer.ports, strict=True))

    def named(self):
        """Starts a program for which our name server is the only one, and waits little for it; this needs root."""
        file = self.directory / "resolv.conf"
        file.write_text(f"nameserver {NAME_SERVER}\noptions timeout:1 attempts:1\n")
        return ("unshare", "--mount", "sh", "-c", f'mount --bind {file} /etc/resolv.conf && exec "$0" "$@"')

    def end(self):
        # It is told to end but once.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            if self.disturbance:
                self.disturbance.end()
        finally:
            # After a whole run they have ended.
            for gateway in self.gateways:
                if gateway.process.poll() is None:
                    gateway.kill()
            if self.options.keep:
                print(f"chaos: the files are in {self.directory}")
            else:
                shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def lines(listeners):
    return "\n".join(f'  - {{address: "127.0.0.1:0"{listener.line and ", " + listener.line}}}' for listener in listeners)


def make_certificate(directory):
    """ECDSA on P-256, signed by itself."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", directory / "edge.key", "-out", directory / "edge.pem"],
        check=True, stderr=subprocess.DEVNULL)  # fmt: skip
    (directory / "edge.key").chmod(0o600)


def make_tokens(dev_binary, directory, seconds):
    """Tokens of a development issuer, good and bad, and its keys in a file; the issuer ends before the run begins."""
    process = subprocess.Popen(
        [dev_binary, "issuer", "--listen", "127.0.0.1:0", "--algorithm", "ES256"], stdout=subprocess.PIPE, text=True)
    try:
        issuer = re.match(r"issuer\s+(\S+)", process.stdout.readline())[1]
        with urllib.request.urlopen(issuer + "/jwks", timeout=10) as answer:
            (directory / "keys.json").write_bytes(answer.read())

        def mint(**changes):
            lifetime = str(int(seconds) + 3600)
            form = {"grant_type": "client_credentials", "client_id": "chaos", "audience": AUDIENCE, "scope": "read", "expires_in": lifetime}
            data = urllib.parse.urlencode(form | changes).encode()
            with urllib.request.urlopen(issuer + "/token", data, timeout=10) as answer:
                return json.load(answer)["access_token"]

        good = [mint(subject=f"user-{number}") for number in range(12)]
        bad = [mint(expires_in="-120"), mint(audience="https://elsewhere.example"), mint(scope="write"), good[0][:-8] + "AAAAAAAA"]
        return issuer, {"good": good, "bad": bad + [good[0].replace(".", "..", 1), good[0][: len(good[0]) // 2], "x.y.z"]}
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
