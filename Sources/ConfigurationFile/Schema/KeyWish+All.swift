extension KeyWish {
    /// Table of all words: those of nginx, HAProxy, Traefik, Envoy, Kong, Caddy, oauth2-proxy, Spring and Express. If a
    /// word has two meanings, the usual one goes first.
    static let all = ofProcess + ofIssuers + ofResources + ofRules + ofUpstreams + ofHeaders + unsupported

    // MARK: The process

    private static let ofProcess: [KeyWish] = [
        .at(
            \FileKeys.listen,
            "port ports bind bind_address listeners listen_on listen_addr entrypoints entry_points server servers addresses"
        ),
        .at(
            \ListenerKeys.tls,
            "ssl https cert certs cert_file certificate_file ssl_certificate ssl_certificate_key private_key key_pair tls_cert "
                + "tls_key crt"),
        .at(
            \TerminationKeys.clientCA, "client_ca_file ssl_client_certificate client_auth trusted_ca mtls_ca client_cas"
        ),
        .at(
            \FileKeys.admin,
            "metrics prometheus stats status dashboard api management actuator health_endpoint readiness liveness admin_api",
            note: "`/metrics`, `/livez` and `/readyz` are there"),
        .at(\FileKeys.eventLoops, "workers worker_processes worker_threads threads nbthread concurrency cpus"),
        .at(\LogKeys.level, "log_level loglevel verbosity verbose debug"),
        .at(\LogKeys.format, "log_format"),
        .at(\FileKeys.log, "logging logger error_log"),
        .at(\FileKeys.telemetry, "tracing trace otel opentelemetry open_telemetry spans"),
        .at(
            \FileKeys.trustedProxies,
            "real_ip real_ip_header real_ip_from set_real_ip_from trust_proxy trust_forward_header trusted_ips forwarded_headers "
                + "use_remote_address xff_num_trusted_hops reverse_proxy_trusted"),
        .at(\ProxyProtocolKeys.from, "accept_proxy"),
        .at(
            \FileKeys.denyFile,
            "deny denied deny_list denylist blacklist blocklist block revoked revocation revoked_tokens",
            note: "it names tokens; a request that no rule permits is 403"),
        .at(\FileKeys.stateDirectory, "data_dir data_directory cache_dir storage state"),
        .at(
            \FileKeys.quotas,
            "rate_limit rate_limits rate_limiting rate_limiter ratelimit rate limit_req limit_req_zone throttle throttling token_bucket",
            note: "define it in `quotas` at the top of the file, and name it in a resource or a rule"),
        .at(\FileKeys.sharedState, "redis redis_url valkey"),
        .at(\LimitKeys.connections, "max_connections maxconn max_conns worker_connections"),
        .at(
            \LimitKeys.body,
            "max_body max_body_size client_max_body_size body_limit body_size max_request_size max_request_body_bytes request_body "
                + "request_size_limiting"),
        .at(
            \LimitKeys.head,
            "max_header_size max_header_bytes header_limit large_client_header_buffers client_header_buffer_size"),
        .at(
            \TimeoutKeys.firstByte,
            "timeout request_timeout read_timeout proxy_read_timeout response_timeout response_header_timeout upstream_timeout "
                + "timeout_server server_timeout"),
        .at(\TimeoutKeys.connect, "connect_timeout proxy_connect_timeout dial_timeout timeout_connect"),
        .at(\TimeoutKeys.idle, "idle_timeout keepalive_timeout keep_alive_timeout keepalive keep_alive timeout_client"),
        .at(\TimeoutKeys.head, "header_timeout read_header_timeout client_header_timeout timeout_http_request"),
        .at(\TimeoutKeys.bodyIdle, "write_timeout send_timeout proxy_send_timeout client_body_timeout"),
        .at(
            \TimeoutKeys.drain,
            "shutdown_timeout graceful_timeout grace_period grace_timeout graceful_shutdown drain_timeout"),
    ]

    // MARK: Issuers

    private static let ofIssuers: [KeyWish] = [
        .at(
            \FileKeys.issuers,
            "auth authn authentication jwt jwt_auth auth_jwt jwt_authn jwt_authentication oidc oauth oauth2 openid openid_connect "
                + "oidc_issuer_url issuer_uri issuer_url identity_provider identity_providers idp provider providers bearer "
                + "resource_server",
            note: "then `issuers: [NAME]` on a resource"),
        .at(
            issuer: \.jwksURI,
            "jwks jwks_url jwk_set_uri jwk_url remote_jwks keys_url key_set auth_jwt_key_request well_known"),
        .at(
            issuer: \.jwksFile,
            "local_jwks auth_jwt_key_file"),
        .at(
            issuer: \.pemKeys,
            "public_key public_keys public_key_file rsa_public_key public_key_location pem pem_file pem_files signing_key signing_keys"
        ),
        .at(
            \GenericIssuerKeys.algorithms,
            "alg algs allowed_algorithms signing_algorithms jws_algorithms supported_signing_algs"),
        .at(
            \IntrospectionKeys.endpoint,
            "introspection introspection_endpoint introspection_url introspection_uri opaque_token opaquetoken"),
        .at(\IntrospectionKeys.clientSecretFile, "client_secret"),
        .at(issuer: \.leeway, "clock_skew clock_skew_seconds skew clock_tolerance clock_leeway"),
        .at(issuer: \.refresh, "jwks_cache cache_duration refresh_interval jwks_refresh_interval jwks_ttl"),
        .at(issuer: \.maxLifetime, "max_token_age max_expiration maximum_expiration"),
    ]

    // MARK: Resources and rules

    private static let ofResources: [KeyWish] = [
        .at(
            \FileKeys.resources,
            "apis services service routers virtual_hosts virtual_host vhosts sites frontends frontend http_routers protected_resources"
        ),
        .at(\ResourceKeys.audiences, "audience aud allowed_audiences accepted_audiences"),
        .at(
            \ResourceKeys.at,
            "path paths path_prefix prefix host hosts hostname hostnames domain domains server_name location locations base_path match "
                + "context_path"),
        .at(\ResourceKeys.issuers, "trusted_issuers allowed_issuers"),
        .at(\ResourceKeys.stripPrefix, "strip_path strip_path_prefix strip_prefixes handle_path stripprefix"),
        .at(
            \ResourceKeys.tokenHeader,
            "header_name header_names token_from from_headers token_source token_lookup auth_header bearer_token_header extract_from",
            note: "elsewhere no token is read"),
        .at(
            \CrossOriginKeys.origins,
            "cors_origins cors_allowed_origins allowed_origins allow_origins allow_origin access_control_allow_origin origin "
                + "allowed_origin"),
        .at(\CrossOriginKeys.headers, "allow_headers allowed_headers access_control_allow_headers"),
        .at(\CrossOriginKeys.expose, "expose_headers exposed_headers access_control_expose_headers"),
        .at(\CrossOriginKeys.credentials, "allow_credentials access_control_allow_credentials"),
        .at(\ResourceKeys.websocket, "ws enable_websocket websocket_upgrade upgrade upgrade_configs"),
        .at(\ResourceKeys.maintenance, "maintenance_mode under_maintenance downtime planned_downtime"),
        .at(\ModeKeys.observe, "dry_run report_only monitor_only permissive audit_only"),
        .at(
            \FileKeys.doors, "forward_auth forwardauth auth_request auth_url external_auth",
            note: "forward auth: another proxy asks this gateway"),
    ]

    private static let ofRules: [KeyWish] = [
        .at(
            \ResourceKeys.rules,
            "routes route endpoints methods method http_methods allowed_methods allow_methods acl acls access access_control rbac authz "
                + "authorize authorize_requests permissions allow allow_list allowlist intercept_url request_matchers",
            note: "method and path are the key of a rule"),
        .at(
            \RequirementKeys.allOf,
            "scopes scope required_scopes scopes_required require_scope has_scope has_authority required_permissions permissions"
        ),
        .at(\RequirementKeys.anyOf, "any_scope any_scopes one_of scopes_any has_any_authority has_any_scope"),
        .at(\RequirementKeys.roles, "roles role allowed_roles required_roles has_role has_any_role"),
        .at(
            \RequirementKeys.claims,
            "groups group allowed_groups users user allowed_users usernames sub subject email emails email_domains required_claims "
                + "claims_to_verify require_claims"),
        .at(\RequirementKeys.clients, "azp client client_id allowed_clients client_ids consumers"),
        .at(\RequirementKeys.organization, "org org_id organisation organizations"),
        .at(
            \RequirementKeys.public,
            "skip_auth skip_auth_routes skip_auth_regex whitelist unprotected unauthenticated anonymous permit_all no_auth bypass "
                + "exclude_paths"),
        .at(\RequirementKeys.optional, "allow_missing allow_missing_token auth_optional optional_auth"),
    ]

    // MARK: Upstreams

    private static let ofUpstreams: [KeyWish] = [
        .at(
            \ResourceKeys.upstream,
            "upstreams backend backends backend_url proxy_pass reverse_proxy proxy cluster clusters url uri urls target_url forward_to "
                + "dest destination to load_assignment proxy_to"),
        .at(\FleetKeys.targets, FleetKeys.wordsForTargets.joined(separator: " ")),
        .at(
            \FleetKeys.balance,
            "load_balancing load_balancer load_balance lb lb_policy lb_algorithm algorithm strategy sticky sticky_session sticky_sessions "
                + "session_affinity"),
        .at(
            \FleetKeys.health,
            "health_check health_checks healthcheck healthchecks health_uri active_health_check active_health_checks option_httpchk"
        ),
        .at(
            \FleetKeys.eject,
            "circuit_breaker circuitbreaker circuit_breakers outlier_detection max_fails fail_timeout passive_health passive_health_check "
                + "passive_health_checks"),
        .at(
            \FleetKeys.retries,
            "retries retry retry_policy num_retries max_retries attempts max_attempts lb_retries lb_try_duration",
            note: "a budget bounds them, and not a number for each request"),
        .at(\RetryKeys.causes, "retry_on proxy_next_upstream"),
        .at(
            \RetryKeys.budget, "num_retries max_retries attempts max_attempts",
            note: "it bounds them, and not a number for each request"),
        .at(\FleetKeys.connections, "max_connections maxconn max_conns pool pool_size max_requests connection_pool"),
        .at(\ResourceKeys.upstreamHost, "host_header host_rewrite auto_host_rewrite preserve_host pass_host_header"),
        .at(
            \ResourceKeys.upstreamTLS,
            "proxy_ssl proxy_ssl_verify backend_tls insecure insecure_skip_verify skip_verify ssl_verify verify_ssl tls_verify "
                + "tls_insecure_skip_verify servers_transport",
            note: "an upstream's certificate is always verified"),
        .at(\HealthKeys.path, "uri url"),
        .at(\HealthKeys.every, "interval period inter check_interval"),
        .at(\HealthKeys.expect, "status statuses expected_status expected_statuses codes http_statuses"),
        .at(\HealthKeys.downAfter, "unhealthy_threshold fall fails retries"),
        .at(\HealthKeys.upAfter, "healthy_threshold rise passes successes"),
    ]

    // MARK: What upstreams are told

    private static let ofHeaders: [KeyWish] = [
        .at(
            \ForwardKeys.authorization,
            "authorization pass_authorization pass_authorization_header pass_access_token preserve_authorization forward_token "
                + "forward_access_token "
                + "keep_token keep_authorization"),
        .at(
            \ForwardKeys.identity,
            "set_xauthrequest pass_user_headers user_header user_headers identity_headers auth_response_headers remote_user "
                + "forward_headers"),
        .at(
            \ResourceKeys.response,
            "add_header add_headers response_headers remove_headers header_down security_headers hsts proxy_hide_header"
        ),
        .at(
            \ForwardKeys.claims,
            "claim_to_headers claims_to_headers claim_headers output_claims_to_headers forward_payload_header"),
    ]

    private static let unsupported: [KeyWish] = [
        .unsupported(
            "Sign-in in a browser, sessions, login redirects",
            "login login_url sign_in signin session sessions cookie_secret cookie_domain redirect_url redirect_uri callback "
                + "callback_url logout "
                + "oauth2_login form_login"),
        .unsupported(
            "Tokens in a cookie", "cookie cookies cookie_name cookie_names token_cookie from_cookies jwt_cookie"),
        .unsupported(
            "Tokens in a query or a form",
            "query query_param query_params query_parameter token_query from_params "
                + "uri_param_names form_param"),
        .unsupported("API keys", "api_key api_keys apikey apikeys key_auth keyauth"),
        .unsupported("User names and passwords", "basic_auth basicauth auth_basic htpasswd http_basic userlist"),
        .unsupported(
            "Encrypted tokens (JWE), nested tokens, symmetric algorithms",
            "secret shared_secret hmac_secret jwt_secret signing_key hs256 jwe decryption_key"),
        .unsupported("Tokens bound to a key of their holder", "dpop mtls_bound certificate_bound_tokens"),
        .unsupported(
            "Another service decides", "opa authorizer ext_authz external_authz authz_server subrequest remote_json"),
        .unsupported(
            "Expressions in rules",
            "when if unless condition conditions expression expr cel rego regex path_regex regexp"),
        .unsupported(
            "Rules by request body, query or other headers", "body_rules query_rules header_rules request_fields"),
        .unsupported(
            "Rules by the client's address",
            "ip_whitelist ip_allow ip_allow_list ip_restriction allow_ips source_range remote_ip geoip"),
        .unsupported(
            "Caching of answers, compression, rewriting of bodies",
            "cache caching proxy_cache gzip compress compression compressor brotli encode zstd"),
        .unsupported(
            "Rewriting of paths, and setting of headers",
            "headers set_headers set_header request_headers proxy_set_header header_up custom_headers rewrite rewrites url_rewrite "
                + "rewrite_target path_rewrite prefix_rewrite replace_path regex_rewrite"),
        .unsupported(
            "Static files, fixed answers, redirects of single paths",
            "root static static_files file_server try_files index return respond redirects error_page error_pages"
        ),
        .unsupported("HTTP/3", "http3 h3 quic"),
        .unsupported(
            "Certificates by ACME",
            "acme letsencrypt lets_encrypt auto_https autocert cert_resolver certresolver cert_manager"),
        .unsupported(
            "OTLP over gRPC, Zipkin, Jaeger and other protocols for traces", "jaeger zipkin"),
        .unsupported(
            "Plug-ins, scripts",
            "plugin plugins middleware middlewares filter filters http_filters lua wasm script scripts extensions include includes import "
                + "imports"),
    ]
}
