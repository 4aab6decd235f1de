"""Bearward itself."""

import json

from contenders.way import HTTP1
from measuring.tokens import AUDIENCE, SCOPE

CACHE = "128MiB"
LIMITS = "{connections: 12000}"
# Every client has the same address here, that of whoever forges tokens included.
WITHOUT_FAILURES = "{connections: 12000, failed_verifications_per_address: off}"


def verifying(world, port, cache=CACHE, loops=1, access_log=False, issuers=None, rules=("ANY /**",), name="", forward="{}", way=HTTP1,
              limits=WITHOUT_FAILURES, targets=1, more="", top=""):
    """Every issuer is trusted with its key file; every rule asks for the scope. Quoted text is as good in YAML as in JSON.

    With several targets, all are the same server. `more`: further lines of the resource; `top`: of the file."""
    issuers = issuers or [world.issuer]
    log = world.directory / f"bearward-{port}-access.log" if access_log else "none"
    trusted = "\n".join(
        f"  {issuer.name}: {{issuer: {quoted(issuer.identifier)}, jwks_file: {quoted(issuer.key_set_file)}, "
        f"algorithms: [{', '.join(issuer.algorithms)}], token_type: at+jwt}}"
        for issuer in issuers)
    needed = "\n".join(f"      {rule}: {SCOPE}" for rule in rules)
    upstream = f"{'h2c' if way.is_http2_upstream else 'http'}://127.0.0.1:{way.upstream_port(world)}"
    if targets > 1:
        upstream = f"{{targets: [{', '.join([upstream] * targets)}], balance: least_requests}}"
    listener = ", protocols: [h2c, http/1.1]" if way.is_http2 else ""
    if way.identity:
        listener = f", tls: {{certificate: {quoted(way.identity.certificate)}, key: {quoted(way.identity.key)}}}"
    file = world.file(f"bearward-{port}{name}.yaml", f"""listen: {{address: "127.0.0.1:{port}"{listener}}}
event_loops: {loops}
access_log: {log}
token_cache: {cache}
limits: {limits}
timeouts: {{idle: 300s}}
{top}issuers:
{trusted}
resources:
  {AUDIENCE}:
    at: [/api]
    issuers: [{', '.join(issuer.name for issuer in issuers)}]
    upstream: {upstream}
    forward: {forward}
{more}    rules:
{needed}
""")
    return [world.options.bearward, "serve", "--config", file]


def quoted(value):
    return json.dumps(str(value))
