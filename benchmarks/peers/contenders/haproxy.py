"""HAProxy: a plain proxy, the yardstick of every table, and one that verifies with `jwt_verify`."""

from contenders.way import HTTP1
from measuring.tokens import AUDIENCE, ISSUER, SCOPE

ALGORITHMS = ["RS256", "ES256", "ES384"]
NO_EDDSA = "jwt_verify has no EdDSA"


def plain(world, port, access_log=False, way=HTTP1):
    return configured(world, f"plain-{port}", port, "", access_log, way)


def verifying(world, port, algorithm, access_log=False, issuer=None):
    """One issuer, one algorithm: issuer, audience, signature, expiry, then the scope."""
    key = (issuer or world.issuer).pem_files[algorithm]
    return configured(world, f"{algorithm}-{port}", port, f"""{credentials()}
    http-request deny deny_status 401 unless {{ var(txn.alg) -m str {algorithm} }}
    http-request deny deny_status 401 unless {{ var(txn.iss) -m str {ISSUER} }}
    http-request deny deny_status 401 unless {{ var(txn.bearer),jwt_verify(txn.alg,"{key}") 1 }}
{claims()}
    http-request deny deny_status 403 unless {{ var(txn.scope) -m sub {SCOPE} }}""", access_log)


def with_rules(world, port, prefixes):
    """RS256 as above; the scope needed is looked up by the path's prefix in a map."""
    table = world.file(f"haproxy-{port}.map", "".join(f"{prefix} {SCOPE}\n" for prefix in prefixes))
    key = world.issuer.pem_files["RS256"]
    return configured(world, f"rules-{port}", port, f"""{credentials()}
    http-request set-var(txn.needed) path,map_beg({table})
    http-request deny deny_status 403 unless {{ var(txn.needed) -m found }}
    http-request deny deny_status 401 unless {{ var(txn.alg) -m str RS256 }}
    http-request deny deny_status 401 unless {{ var(txn.iss) -m str {ISSUER} }}
    http-request deny deny_status 401 unless {{ var(txn.bearer),jwt_verify(txn.alg,"{key}") 1 }}
{claims()}
    http-request deny deny_status 403 unless {{ var(txn.scope) -m sub {SCOPE} }}""")


def with_issuers(world, port, issuers):
    """ES256; one rule an issuer names its key, because jwt_verify finds no key that no rule names."""
    chosen = "\n".join(
        f"""    http-request set-var(txn.verified) var(txn.bearer),jwt_verify(txn.alg,"{issuer.pem_files['ES256']}") """
        f"if {{ var(txn.iss) -m str {issuer.identifier} }}"
        for issuer in issuers)
    return configured(world, f"issuers-{port}", port, f"""{credentials()}
    http-request deny deny_status 401 unless {{ var(txn.alg) -m str ES256 }}
{chosen}
    http-request deny deny_status 401 unless {{ var(txn.verified) -m int 1 }}
{claims()}
    http-request deny deny_status 403 unless {{ var(txn.scope) -m sub {SCOPE} }}""")


def credentials():
    return """    http-request set-var(txn.bearer) http_auth_bearer
    http-request set-var(txn.alg) http_auth_bearer,jwt_header_query('$.alg')
    http-request set-var(txn.iss) http_auth_bearer,jwt_payload_query('$.iss')
    http-request set-var(txn.aud) http_auth_bearer,jwt_payload_query('$.aud')
    http-request set-var(txn.exp) http_auth_bearer,jwt_payload_query('$.exp','int')
    http-request set-var(txn.scope) http_auth_bearer,jwt_payload_query('$.scope')
    http-request set-var(txn.now) date()"""


def claims():
    return f"""    http-request deny deny_status 401 unless {{ var(txn.aud) -m str {AUDIENCE} }}
    http-request deny deny_status 401 if {{ var(txn.exp),sub(txn.now) -m int lt 0 }}"""


def configured(world, name, port, rules, access_log=False, way=HTTP1):
    secure = f" ssl crt {way.identity.both} alpn h2,http/1.1" if way.identity else " proto h2" if way.is_http2 else ""
    log = "    log global\n    option httplog\n" if access_log else ""
    path = world.file(f"haproxy-{name}.cfg", f"""global
    nbthread 1
    maxconn 12000
    no strict-limits
{"    log stdout format raw local0" if access_log else ""}
defaults
    mode http
    option forwardfor
    http-reuse always
    timeout client 300s
    timeout http-keep-alive 300s
    timeout server 60s
    timeout connect 3s
{log}
frontend in
    bind 127.0.0.1:{port}{secure}
{rules}
    default_backend shop
backend shop
    server shop 127.0.0.1:{way.upstream_port(world)}{" proto h2" if way.is_http2_upstream else ""}
""")
    return ["haproxy", "-f", path]
