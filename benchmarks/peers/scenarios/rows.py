"""Starting a contender as a row of a table. One that does not start or answers wrongly stays in the table and says why."""

from contenders import bearward, checks, envoy, haproxy, nginx
from measuring.results import Row
from measuring.running import free_port
from measuring.tools import told

HAPROXY_PLAIN = "HAProxy, plain"
NGINX_PLAIN = "nginx, plain"
NGHTTPX_PLAIN = "nghttpx, plain"
ENVOY_PLAIN = "Envoy, plain"
HAPROXY = "HAProxy, jwt_verify"
ENVOY = "Envoy, jwt_authn"
ENVOY_CACHED = "Envoy, jwt_authn with cache"
BEARWARD = "Bearward"
BEARWARD_UNCACHED = "Bearward, cache off"
# The same binary once more: how much two rows differ that are alike.
AGAIN = ", again"
ROTATION = 100


def add(world, rows, name, command, check, group="", note="", cores=None, deadline=30):
    """`command(port)` says how to start it; `check(program)` raises if an answer is wrong. Bearward is started twice."""
    row = Row(name, group, note)
    rows.append(row)
    port = free_port()
    try:
        row.program = world.start(name, command(port), port, **({"cores": cores} if cores else {}), deadline=deadline)
        check(row.program)
    except Exception as problem:
        row.failure = str(problem)
        told(f"{name} {group}: {problem}")
    if name in (BEARWARD, BEARWARD_UNCACHED):
        add(world, rows, name + AGAIN, command, check, group, note, cores, deadline)
    return row


def failed(rows, name, group, reason):
    rows.append(Row(name, group, failure=reason))


def plain_proxies(world, rows, access_log=False, with_envoy=False):
    add(world, rows, NGINX_PLAIN, lambda port: nginx.plain(world, port, access_log), checks.check_plain)
    haproxy_plain(world, rows, access_log)
    if with_envoy:
        add(world, rows, ENVOY_PLAIN, lambda port: envoy.plain(world, port), checks.check_plain)


def haproxy_plain(world, rows, access_log=False):
    add(world, rows, HAPROXY_PLAIN, lambda port: haproxy.plain(world, port, access_log), checks.check_plain)


def verifying(world, rows, access_log=False):
    """All that verify RS256, each as it would be run."""
    def check(program):
        checks.check_verifying(program, world.issuer, "RS256")

    add(world, rows, HAPROXY, lambda port: haproxy.verifying(world, port, "RS256", access_log), check)
    if not access_log:
        add(world, rows, ENVOY, lambda port: envoy.verifying(world, port), check)
    add(world, rows, ENVOY_CACHED, lambda port: envoy.verifying(world, port, 1000, access_log), check)
    add(world, rows, BEARWARD, lambda port: bearward.verifying(world, port, access_log=access_log), check)


def orders(tokens, target="/api/orders/7"):
    return [("GET", target, token) for token in tokens]
