import AccessControl
import HTTPMessages
import TokenVerification

/// What the reference says of a reason: what was wrong, and what to do about it.
public struct ReasonText: Sendable, Hashable {
    public let cause: String
    public let remedy: String
}

extension RejectionReason {
    public var text: ReasonText {
        switch self {
        case .credentials(let fault): fault.text
        case .token(let rejection): rejection.text
        case .policy(let denial): denial.text
        case .routing(let fault): fault.text
        case .gateway(let fault): fault.text
        case .upstream(let fault): fault.text
        case .message(let fault): fault.text
        }
    }
}

extension CredentialsFault {
    fileprivate var text: ReasonText {
        switch self {
        case .missing:
            ReasonText(
                cause: "The request has no `Authorization` field with the Bearer scheme. A token in the query is not read.",
                remedy: "Have the app send `Authorization: Bearer`, a space and the access token. "
                    + "If the rule needs no token, write `{public: true}`.")
        case .malformed:
            ReasonText(
                cause: "The `Authorization` field has the Bearer scheme without exactly one token. "
                    + "The token is absent, or it contains a space, a quote or another forbidden character.",
                remedy: "Have the app send the bare token after the word `Bearer` and a space. "
                    + "Look for quotes or a second `Bearer` in the app's code.")
        case .multiple:
            ReasonText(
                cause: "The request has more than one `Authorization` field. "
                    + "Or it has an `access_token` parameter in the query beside that field.",
                remedy: "Send the token once, in the `Authorization` field. Look for a proxy or library that adds a second one.")
        }
    }
}

extension TokenRejection {
    fileprivate var text: ReasonText {
        switch self {
        case .malformed:
            ReasonText(
                cause: "The token is not a compact JWS: three base64url parts, with one valid JSON object each in header and payload. "
                    + "A `kid` or `typ` of the wrong form counts too.",
                remedy: "Check that the app sends the whole access token, unchanged. "
                    + "If the issuer encrypts its tokens, have it issue signed ones.")
        case .opaqueNotSupported:
            ReasonText(
                cause: "The token has no dots, so it is opaque: only its issuer can read it. "
                    + "No issuer of the resource has `opaque.introspect`, or the token is longer than 4 KiB.",
                remedy: "Have the app request a JWT access token for this API. "
                    + "If the issuer supports introspection, configure `opaque.introspect`.")
        case .algorithmNotAllowed:
            ReasonText(
                cause: "The token's `alg` is missing, `none`, symmetric, unknown, or not among the issuer's `algorithms`. "
                    + "Or the token's key is not for that algorithm.",
                remedy: "Have the issuer sign with an accepted asymmetric algorithm. "
                    + "If the issuer has no `profile`, add its algorithm to `algorithms`.")
        case .typeMismatch:
            ReasonText(
                cause: "The header's `typ` is not `at+jwt`, which this issuer's access tokens must carry (`token_type: at+jwt`, or the "
                    + "profile). The token may be an ID token.",
                remedy: "Have the app send the access token, not the ID token. "
                    + "If the issuer writes another `typ`, change `token_type` (Auth0: `dialect`).")
        case .unsupportedHeader:
            ReasonText(
                cause: "The header has a member that is never accepted: `crit`, `b64`, `zip`, `enc`, `jku`, `jwk`, `x5u` or `x5c`. "
                    + "Or its `cty` marks a nested JWT.",
                remedy: "Have the issuer issue plain signed JWTs. If the token carries its own key, find out who made it.")
        case .unknownKeyID:
            ReasonText(
                cause: "No key of the issuer has the token's `kid`, or `denied_keys` lists it. "
                    + "Or the token has no `kid`, and `allow_missing_kid` is off or finds no single fitting key.",
                remedy: "Compare the token's `kid` with the issuer's key set and with `denied_keys`. "
                    + "Set `allow_missing_kid: true` only if the issuer writes no `kid`.")
        case .badSignature:
            ReasonText(
                cause: "The signature does not match the key and the exact bytes of the token. "
                    + "The token was altered, forged, or signed with another key of the same `kid`.",
                remedy: "Check that the app sends the token unchanged, and that the key set belongs to the issuer's environment. "
                    + "If many come from one address, investigate that client.")
        case .verificationUnavailable:
            ReasonText(
                cause: "The cryptographic library failed, for example because memory ran out. The failure says nothing about the token.",
                remedy: "Look for this failure under `keys_unavailable`, which logs and metrics name instead. "
                    + "Check the memory of the process.")
        case .issuerMismatch:
            ReasonText(
                cause: "The token's `iss` is missing, or no issuer in the resource's `issuers` has exactly this value. "
                    + "Even a final slash makes a difference.",
                remedy: "Compare the token's `iss` with the configured `issuer`. "
                    + "Add a missing issuer to `issuers`, or another domain of the same issuer to `extra_issuers`.")
        case .audienceMismatch:
            ReasonText(
                cause: "The token's `aud` is missing or malformed, or names none of the resource's `audiences` (by default its "
                    + "identifier). An opaque token without `aud` needs a client in `opaque.introspect.clients`.",
                remedy: "Have the app request a token for this API. "
                    + "If the issuer calls this API by another name, write that name into `audiences`.")
        case .notAccessToken:
            ReasonText(
                cause: "By its claims or the introspection answer, this is not an access token, but for example an ID, refresh or logout "
                    + "token. `token_type` or the profile can name the claims that mark an access token.",
                remedy: "Have the app send the access token, not the ID token. "
                    + "For Entra tokens without a user, set `allow_app_only: true`.")
        case .expired:
            ReasonText(
                cause: "The current time is at or past the token's `exp` plus `leeway`. "
                    + "Open streams end with this reason too, unless `at_expiry` is `keep`.",
                remedy: "Have the app refresh its token before `exp`. "
                    + "If new tokens are refused, correct the clocks of Bearward and the issuer.")
        case .notYetValid:
            ReasonText(
                cause: "The token's `nbf` or `iat` is further in the future than `leeway` allows.",
                remedy: "Correct the clocks of Bearward's host and of the issuer. Raise `leeway` if they cannot be corrected.")
        case .authTimeInvalid:
            ReasonText(
                cause: "`auth_time` is missing, is not a valid time, or is further in the future than `leeway` allows. "
                    + "The issuer's profile requires this claim.",
                remedy: "Check that the token comes from a user's sign-in at this issuer. "
                    + "If `auth_time` is in the future, correct the clocks.")
        case .authenticationTooOld:
            ReasonText(
                cause: "The user's last sign-in (`auth_time`) is longer ago than the issuer's `max_auth_age` plus `leeway`.",
                remedy: "Have the app sign the user in again. If the limit is too strict, raise `max_auth_age`.")
        case .tenantMismatch:
            ReasonText(
                cause: "`tid` is missing, is not a GUID, or is not the tenant that `iss` names. "
                    + "Or the name of another claim differs from `tid` only in case.",
                remedy: "Treat the token as a possible forgery: the platform issues no such tokens. Find out who made it.")
        case .tenantNotAllowed:
            ReasonText(
                cause: "The token comes from a tenant, domain or organisation that the issuer's configuration does not allow. "
                    + "Depending on the profile, `allowed_tenants`, `tenant_id`, `tenants`, `hosted_domain` or `org_ids` decides.",
                remedy: "If its users may use this API, add the tenant, domain or organisation to that key. "
                    + "Otherwise have users sign in with an allowed account.")
        case .keyIssuerMismatch:
            ReasonText(
                cause: "The signing key belongs to another issuer of the same platform. "
                    + "In the key set, the key's `issuer` member names that issuer.",
                remedy: "Treat the token as a possible forgery: the platform issues no such tokens. "
                    + "If you set `jwks_uri`, check that it is this issuer's.")
        case .policyNotAllowed:
            ReasonText(
                cause: "The token names no user flow or sign-in method that `policies`, `sign_in_providers` or `allow_anonymous` accepts. "
                    + "Or the key of another user flow signed it.",
                remedy: "Add an acceptable user flow to `policies`, or a sign-in method to `sign_in_providers`. "
                    + "For anonymous Firebase users, set `allow_anonymous: true`.")
        case .versionNotAllowed:
            ReasonText(
                cause: "The token's `ver` or `iss` belongs to a token version that is not accepted. "
                    + "Entra ID accepts those in `versions`, External ID only 2.0.",
                remedy: "Set `requestedAccessTokenVersion` to 2 in the manifest of the API's app registration. "
                    + "For Entra ID, you can add the version to `versions` instead.")
        case .clientNotAllowed:
            ReasonText(
                cause: "The token names no client, or one that is not in the issuer's `clients` (Cognito: `client_ids`). "
                    + "Or it is a machine's, and `allow_m2m` or `accept_service_accounts` excludes machines.",
                remedy: "If the client may use this API, add its ID to the issuer's list. "
                    + "For machine clients, set `allow_m2m` or `accept_service_accounts` to `true`.")
        case .claimNotAllowed:
            ReasonText(
                cause: "A claim that the issuer's `require.claims` names is missing or has another value.",
                remedy: "Run `bearward explain` with the token to see the claim. "
                    + "Have the issuer write the required value, or correct `require.claims`.")
        case .foreignResource:
            ReasonText(
                cause: "The header has a `nonce`: Microsoft made the token for one of its own APIs, such as Microsoft Graph. "
                    + "Only that API can verify it.",
                remedy: "Have the app request a token with a scope of this API, not of Microsoft Graph.")
        case .inactive:
            ReasonText(
                cause: "The issuer's introspection answer does not say that the token is active. "
                    + "The token may have expired, been revoked, or come from another issuer.",
                remedy: "Have the app request a new token. "
                    + "If new tokens are inactive too, check `client_id` and `endpoint` in `opaque.introspect`.")
        case .subjectInvalid:
            ReasonText(
                cause: "`sub` is empty, too long, not a string, or contains control characters; for Entra, `oid` is judged too. "
                    + "Or the profile requires `sub`, and it is missing.",
                remedy: "Run `bearward explain` with the token to see the subject. Have the issuer write a plain identifier there.")
        case .boundToken:
            ReasonText(
                cause: "The token has a `cnf` claim, which binds it to a key of its holder (DPoP or mutual TLS). "
                    + "Bearward accepts bearer tokens only.",
                remedy: "Switch off DPoP or certificate-bound tokens for this client at the issuer. Then have the app request a new token.")
        case .claimInvalid:
            ReasonText(
                cause: "`exp` is missing, or `exp`, `nbf`, `iat` or `jti` is malformed or contradictory. Or the token outlives "
                    + "`max_lifetime`, or a claim that the profile requires is wrong (for example `require_email_verified`).",
                remedy: "Run `bearward explain` with the token to see which check fails. "
                    + "If the lifetime is too long, shorten it at the issuer or raise `max_lifetime`.")
        }
    }
}

extension Denial {
    fileprivate var text: ReasonText {
        switch self {
        case .organizationMismatch:
            ReasonText(
                cause: "The token is not for an organisation that the rule's `organization` allows. "
                    + "Or it is a Logto organisation token, and the rule has no `organization`.",
                remedy: "Have the app request a token for the right organisation. "
                    + "If such tokens may open other rules, set `organization: optional` on the issuer.")
        case .insufficientScope:
            ReasonText(
                cause: "The token lacks a scope that the rule requires. "
                    + "`all_of` and plain scopes require all of them, `any_of` requires one.",
                remedy: "Have the app request the scopes that the challenge names, and have the issuer grant them. "
                    + "If scopes are in another claim, check `scope_claims`.")
        case .roleRequired:
            ReasonText(
                cause: "The token has none of the roles in the rule's `roles`.",
                remedy: "Assign the role at the issuer and request a new token. "
                    + "If roles are in another claim, check `role_claims` or the profile's role keys.")
        case .claimRequired:
            ReasonText(
                cause: "A claim in the rule's `claims` is missing or has another value. "
                    + "Or a value for `forward.identity` or `forward.claims` is longer than 4096 bytes.",
                remedy: "Have the issuer write the claim, or correct the rule's `claims`. "
                    + "If a forwarded value is too long, remove it from `forward`.")
        case .clientRequired:
            ReasonText(
                cause: "The token names no client, or one that is not in the rule's `clients`.",
                remedy: "If the client may make this request, add its ID to the rule's `clients`. "
                    + "Otherwise use a token of an allowed client.")
        case .authenticationTooWeak:
            ReasonText(
                cause: "The token's authentication context class (`acr`; Entra: `acrs`) is missing or not in the rule's `acr`.",
                remedy: "Have the app sign the user in with the context class that the challenge asks for. "
                    + "If the issuer has no such class, correct the rule's `acr`.")
        case .authenticationTooOld:
            ReasonText(
                cause: "The user's last sign-in (`auth_time`) is longer ago than the rule's `max_age` plus `leeway`. "
                    + "A missing or future `auth_time` counts too.",
                remedy: "Have the app sign the user in again. If the issuer writes no `auth_time`, remove `max_age` from the rule.")
        }
    }
}

extension RoutingFault {
    fileprivate var text: ReasonText {
        switch self {
        case .noResource:
            ReasonText(
                cause: "No resource is at the request's host and path, as `at` or its identifier defines. "
                    + "Or no prefix in the resource's `upstream` covers the path.",
                remedy: "Compare the host and path of the request with `at`. "
                    + "If a prefix is missing, add it to `upstream`, or `/` for all paths.")
        case .noRule:
            ReasonText(
                cause: "No rule in the resource's `rules` matches the method and path of the request.",
                remedy: "If the request is meant to be served, add a rule for its method and path. Otherwise correct the app.")
        }
    }
}

extension GatewayFault {
    fileprivate var text: ReasonText {
        switch self {
        case .keysUnavailable:
            ReasonText(
                cause: "The issuer's keys are missing, too old, or could not be refreshed for a new `kid`. "
                    + "Or the limit `limits.waiting_for_keys` was hit, or the cryptographic library failed.",
                remedy: "Read the key set's last error at the admin listener's `/readyz`. "
                    + "Check DNS, the network, `ca_file`, and `jwks_uri` or `jwks_file`.")
        case .introspectionUnavailable:
            ReasonText(
                cause: "The issuer gave no usable introspection answer in time, or Bearward suspended its requests after repeated "
                    + "failures. Or a limit such as `limits.waiting_for_keys` was hit.",
                remedy: "Read the last introspection error at the admin listener's `/readyz`. "
                    + "Check `endpoint`, `client_id` and `client_secret_file` in `opaque.introspect`.")
        case .overloaded:
            ReasonText(
                cause: "As many requests are in flight as `limits.in_flight` allows. Or the process is short of memory.",
                remedy: "Look for slow upstreams and long-lived streams. "
                    + "Then raise `limits.in_flight` or the memory limit, or add instances.")
        case .rateLimited:
            ReasonText(
                cause: "Too many tokens of this client failed verification within a second (`limits.failed_verifications_per_address`). "
                    + "This token was not verified.",
                remedy: "Investigate the client for forged or outdated tokens. "
                    + "If its address is a load balancer's, add it to `trusted_proxies`.")
        }
    }
}

extension UpstreamFault {
    fileprivate var text: ReasonText {
        switch self {
        case .unreachable:
            ReasonText(
                cause: "No connection to the upstream could be made, or it closed before the response began. "
                    + "A failed TLS handshake or certificate check counts too.",
                remedy: "Check that the upstream is running and that `upstream` has its address. "
                    + "For TLS, check the upstream's certificate and `upstream_tls`.")
        case .invalid:
            ReasonText(
                cause: "The upstream's response is malformed, exceeds a limit of response heads, or ended early.",
                remedy: "Read the upstream's own log for crashes. "
                    + "Check that `upstream` has the right scheme, and that response heads are not too large.")
        case .timeout:
            ReasonText(
                cause: "The upstream did not connect or answer within `timeouts.connect` or `timeouts.first_byte`. "
                    + "Or a body stalled at the upstream for `timeouts.body_idle` or `timeouts.stream_idle`.",
                remedy: "Find out why the upstream is slow. If slow responses are expected, raise the matching timeout.")
        case .refused:
            ReasonText(
                cause: "The HTTP/2 upstream stated that it did not process the request. "
                    + "A retry was refused too, or was impossible because the body exceeds `limits.replay`.",
                remedy: "Check whether the upstream is restarting or limits its streams. "
                    + "If large bodies are affected, raise `limits.replay`.")
        case .deadlineExceeded:
            ReasonText(
                cause: "The gRPC client's own deadline (`grpc-timeout`) passed before the response ended.",
                remedy: "Find out why the upstream is slow. If the call needs more time, raise the deadline in the client.")
        }
    }
}

extension MessageFault {
    fileprivate var text: ReasonText {
        switch self {
        case .badRequest:
            ReasonText(
                cause: "The request is malformed or ambiguous in its head, path, `Host` or body, or it ended early. "
                    + "A path with `;` is refused unless `path_parameters` is `keep`.",
                remedy: "Correct the client or proxy that wrote the request. "
                    + "If the resource uses `;` in paths, set `path_parameters: keep`.")
        case .methodNotAllowed:
            ReasonText(
                cause: "The method is CONNECT or TRACE, which are never forwarded. "
                    + "Over HTTP/2 this includes WebSockets to a resource without `websocket: true`.",
                remedy: "Have the client use another method. If the resource serves WebSockets, set `websocket: true`.")
        case .requestTimeout:
            ReasonText(
                cause: "The head did not arrive within `timeouts.head`, or the body stalled for `timeouts.body_idle` or "
                    + "`timeouts.stream_idle`. Or the body was slower than `limits.body_rate`.",
                remedy: "Check the client and its network. If slow clients are expected, raise the timeout or lower `limits.body_rate`.")
        case .bodyTooLarge:
            ReasonText(
                cause: "The request body is longer than `limits.body`.",
                remedy: "Have the client send a smaller body. If such bodies are expected, raise `limits.body`.")
        case .targetTooLong:
            ReasonText(
                cause: "The request target, path and query together, is longer than `limits.target`.",
                remedy: "Have the client send long parameters in the body. If such targets are expected, raise `limits.target`.")
        case .expectationFailed:
            ReasonText(
                cause: "The request has an `Expect` field that is repeated or is not `100-continue`.",
                remedy: "Remove the `Expect` field from the client's request, or send `Expect: 100-continue` once.")
        case .headTooLarge:
            ReasonText(
                cause: "The request head exceeds `limits.head`, `limits.field`, `limits.fields` or `limits.authorization`. "
                    + "Or its `Connection` field has too many options.",
                remedy: "Look for large cookies or tokens in the request. If they are legitimate, raise the limit that they exceed.")
        case .codingNotSupported:
            ReasonText(
                cause: "`Transfer-Encoding` names a coding other than `chunked`.",
                remedy: "Have the client send `Transfer-Encoding: chunked` alone, or `Content-Length`. "
                    + "For compression, use `Content-Encoding`.")
        case .versionNotSupported:
            ReasonText(
                cause: "The request line names an HTTP version other than 1.0 and 1.1.",
                remedy: "Have the client use HTTP/1.1. If it speaks HTTP/2 without TLS, add `h2c` to the listener's `protocols`.")
        }
    }
}
