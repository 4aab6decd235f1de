"""Bearward itself."""

import json

from measuring.tokens import ALGORITHMS, AUDIENCE, SCOPE

CACHE = "128MiB"


def verifying(world, port, cache=CACHE, loops=1, access_log=False, issuers=None, rules=("ANY /**",), name="", forward="{}", identity=None):
    """Every issuer is trusted with its key file; every rule asks for the scope. Quoted text is as good in YAML as in JSON."""
    issuers = issuers or [world.issuer]
    log = world.directory / f"bearward-{port}-access.log" if access_log else "none"
    trusted = "\n".join(
        f"  {issuer.name}: {{issuer: {quoted(issuer.identifier)}, jwks_file: {quoted(issuer.key_set_file)}, "
        f"algorithms: [{', '.join(a for a in ALGORITHMS if a in issuer.algorithms)}], token_type: at+jwt}}"
        for issuer in issuers)
    needed = "\n".join(f"      {rule}: {SCOPE}" for rule in rules)
    tls = f", tls: {{certificate: {quoted(identity.certificate)}, key: {quoted(identity.key)}}}" if identity else ""
    file = world.file(f"bearward-{port}{name}.yaml", f"""listen: {{address: "127.0.0.1:{port}"{tls}}}
event_loops: {loops}
access_log: {log}
token_cache: {cache}
limits: {{connections: 12000, failed_verifications_per_address: off}}
timeouts: {{idle: 300s}}
issuers:
{trusted}
resources:
  {AUDIENCE}:
    at: [/api]
    issuers: [{', '.join(issuer.name for issuer in issuers)}]
    upstream: http://127.0.0.1:{world.upstream_port}
    forward: {forward}
    rules:
{needed}
""")
    return [world.options.bearward, "serve", "--config", file]


def quoted(value):
    return json.dumps(str(value))
