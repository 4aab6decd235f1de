import AccessControl
import HTTPMessages
import TokenVerification

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
        case .door(let fault): fault.text
        case .preflight(let verdict): verdict.text
        }
    }
}

extension CredentialsFault {
    fileprivate var text: ReasonText {
        switch self {
        case .missing:
            ReasonText(
                cause:
                    "The request has no `Authorization` header with the Bearer scheme. A token in the query is not read. "
                    + "Where the resource has `token_header`, the token is read there alone. "
                    + "A token among the subprotocols of a WebSocket is read only where the resource says "
                    + "`websocket: {token: subprotocol}`.",
                remedy:
                    "Have the app send `Authorization: Bearer`, a space and the access token, or a header of `token_header`. "
                    + "If the rule needs no token, write `{public: true}`.")
        case .malformed:
            ReasonText(
                cause: "The `Authorization` header has the Bearer scheme without exactly one token. "
                    + "The token is absent, or it contains a space, a quote or another forbidden character. "
                    + "The same goes for `token_header`. "
                    + "Or a token is offered as a subprotocol in a request that is no handshake of a WebSocket, or a name without one.",
                remedy:
                    "Have the app send the bare token after the word `Bearer` and a space, or as `token_header` says. "
                    + "Look for quotes or a second `Bearer` in the app's code.")
        case .multiple:
            ReasonText(
                cause:
                    "The request has more than one `Authorization` header, or more than one of the headers of `token_header`. "
                    + "Or it has an `access_token` parameter in the query beside that header. "
                    + "Or a handshake of a WebSocket offers two tokens as subprotocols, or one beside that header. "
                    + "Or the resource has `forward: {authorization: pass}`, and `Authorization` has a token of an issuer of the file.",
                remedy:
                    "Send the token once: in `Authorization`, or in one header of `token_header` where the resource has it. "
                    + "Look for a proxy or library that adds a second one."
            )
        }
    }
}

extension Denial {
    fileprivate var text: ReasonText {
        switch self {
        case .organizationMismatch:
            ReasonText(
                cause: "The token is not for an organization that the rule's `organization` allows. "
                    + "Or it is a Logto organization token, and the rule has no `organization`.",
                remedy: "Have the app request a token for the right organization. "
                    + "If such tokens may open other rules, set `organization: optional` on the issuer.")
        case .issuerRequired:
            ReasonText(
                cause: "The token is of another issuer than the rule's `issuer`. "
                    + "Or the first alternative of an `any_of` has an `issuer`, and no alternative is met.",
                remedy: "Use a token of that issuer. "
                    + "If other issuers may open the rule, add what their tokens need as an alternative of `any_of`.")
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
                cause:
                    "A claim in the rule's `claims` is missing or has another value, or its `not` or `absent` does not hold. "
                    + "`detail` names the claim, what the token has, and what is accepted.",
                remedy: "Have the issuer write the claim, or correct the rule's `claims`.")
        case .clientRequired:
            ReasonText(
                cause: "The token names no client, or one that is not in the rule's `clients`.",
                remedy: "If the client may make this request, add its ID to the rule's `clients`. "
                    + "Otherwise use a token of an allowed client.")
        case .authenticationTooWeak:
            ReasonText(
                cause:
                    "The token's authentication context class (`acr`; Entra: `acrs`) is missing or not in the rule's `acr`.",
                remedy: "Have the app sign the user in with the context class that the challenge asks for. "
                    + "If the issuer has no such class, correct the rule's `acr`.")
        case .authenticationTooOld:
            ReasonText(
                cause: "The user's last sign-in (`auth_time`) is longer ago than the rule's `max_age` plus `leeway`. "
                    + "A missing or future `auth_time` counts too.",
                remedy:
                    "Have the app sign the user in again. If the issuer writes no `auth_time`, remove `max_age` from the rule."
            )
        case .identityTooLarge:
            ReasonText(
                cause:
                    "A value for `forward.identity` or `forward.claims` is longer than `limits.identity` (4 KiB by default).",
                remedy:
                    "Send only what the upstream needs, as `only` under `forward.claims` does, or have the issuer write less. "
                    + "If the upstream takes longer headers, raise `limits.identity`.")
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
                remedy:
                    "If the request is meant to be served, add a rule for its method and path. Otherwise correct the app."
            )
        case .originRefused:
            ReasonText(
                cause: "A page opens a WebSocket, and its origin is not in the resource's `websocket.origins`. "
                    + "Without that key it must be in `cors.origins`, and without both be the request's own.",
                remedy: "If the page is yours, add its origin, which `detail` shows, to `websocket: {origins: …}`. "
                    + "Behind a proxy that changes `Host`, list the API's own pages too.")
        case .maintenance:
            ReasonText(
                cause: "The resource or its rule has `maintenance`, and `until` has not come. "
                    + "`detail` in the access log says when that is. The credentials of the request were not looked at.",
                remedy: "Have the client wait as long as `Retry-After` says. "
                    + "When the work is done, take `maintenance` out of the file, or let `until` come.")
        }
    }
}

extension GatewayFault {
    fileprivate var text: ReasonText {
        switch self {
        case .keysUnavailable:
            ReasonText(
                cause: "The issuer's keys are missing, too old, or could not be refreshed for a new `kid`. "
                    + "Or the limit `limits.waiting_for_keys` was hit while there were none, or the cryptographic library failed.",
                remedy:
                    "Read the key set's last error in `detail` of the access log, or at the admin listener's `/readyz`. "
                    + "Check DNS, the network, `ca_file`, and `jwks_uri`, `jwks_file` or `keys`.")
        case .keyNotAsked:
            ReasonText(
                cause:
                    "The token's `kid` is not in the issuer's key set, and the issuer may not be asked about it yet. Other unknown "
                    + "`kid`s, or realms, have used what it may be asked, or all of `most` realms have their place, or `limits.waiting_for_keys` was hit. `Retry-After` says when it is. "
                    + "A token with a new key is then let in, and one whose `kid` the issuer does not have is 401 `unknown_kid`.",
                remedy:
                    "Nothing, if it ends with `Retry-After`. If it lasts, look for clients whose tokens name `kid`s that the issuer does not have. "
                    + "After ten such `kid`s or 120 such answers within a minute the tokens of an address are 401 `unknown_kid`."
            )
        case .introspectionUnavailable:
            ReasonText(
                cause:
                    "The issuer gave no usable introspection answer in time, or Bearward suspended its requests after repeated "
                    + "failures. Or a limit such as `limits.waiting_for_keys` was hit.",
                remedy: "Read the last introspection error at the admin listener's `/readyz`. "
                    + "Check `endpoint`, `client_id` and `client_secret_file` in `opaque.introspect`.")
        case .overloaded:
            ReasonText(
                cause:
                    "As many requests are in flight as `limits.in_flight` allows, or as many of this client's address as "
                    + "`limits.in_flight_per_address` allows. Or the process is short of memory.",
                remedy: "Look for slow upstreams and long-lived streams. "
                    + "Then raise the limit or the memory limit, or add instances. Behind a load balancer set `proxy_protocol` or "
                    + "`trusted_proxies`: without them all of its clients look like one.")
        case .rateLimited:
            ReasonText(
                cause:
                    "Too many tokens of this client failed verification within a second (`limits.failed_verifications_per_address`). "
                    + "This token was not verified.",
                remedy: "Investigate the client for forged or outdated tokens. "
                    + "If its address is a load balancer's, add it to `trusted_proxies`.")
        case .quotaExceeded:
            ReasonText(
                cause:
                    "The caller has exhausted a quota of the rule or of its resource. `RateLimit-Policy` in the answer names the quota.",
                remedy: "Have the client wait as long as `Retry-After` says. "
                    + "If good clients hit it, raise `requests` or `burst` of the quota.")
        case .quotaUnavailable:
            ReasonText(
                cause:
                    "The store in `shared_state` did not answer in time, and the quota has `when_unreachable: refuse`.",
                remedy: "Read the operational log for why the store does not answer. "
                    + "With `when_unreachable: local` each process permits its part meanwhile.")
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
                remedy: "`upstream_error` in the access log says what failed. "
                    + "Check that the upstream is running and that `upstream` has its address. "
                    + "For TLS, check the upstream's certificate and `upstream_tls`.")
        case .invalid:
            ReasonText(
                cause: "The upstream's response is malformed, exceeds a limit of response heads, or ended early.",
                remedy:
                    "`upstream_error` in the access log says what failed; for a malformed response it names the broken rule. "
                    + "Read the upstream's own log for crashes. "
                    + "Check that `upstream` has the right scheme, and that response heads are not too large.")
        case .timeout:
            ReasonText(
                cause: "The upstream did not connect or answer within `timeouts.connect` or `timeouts.first_byte`. "
                    + "Or a body stalled at the upstream for `timeouts.body_idle` or `timeouts.stream_idle`.",
                remedy:
                    "`upstream_error` in the access log names the timeout that passed. Find out why the upstream is slow. "
                    + "If slow responses are expected, raise the matching timeout.")
        case .refused:
            ReasonText(
                cause:
                    "The HTTP/2 upstream did not process the request: it said so, or its limit of concurrent streams allowed no more. "
                    + "A retry was refused too, or was impossible. There is none if `retries` does not permit it, the body "
                    + "exceeds `limits.replay`, all held bodies exceed `limits.replay_total`, or memory is short.",
                remedy: "Check whether the upstream is restarting or limits its streams. "
                    + "If large bodies are affected, raise `limits.replay`. "
                    + "If `bearward_limit_hits_total` counts `replay_total`, raise that.")
        case .unavailable:
            ReasonText(
                cause: "Every target of the upstream is left out, and none can be tried now.",
                remedy:
                    "`GET /api/upstreams` on the admin listener and the operational log say why each target is out. "
                    + "Bring one of them back, and it gets requests after its next health checks.")
        case .deadlineExceeded:
            ReasonText(
                cause: "The gRPC client's own deadline (`grpc-timeout`) passed before the response ended.",
                remedy:
                    "Find out why the upstream is slow. If the call needs more time, raise the deadline in the client.")
        }
    }
}

extension MessageFault {
    fileprivate var text: ReasonText {
        switch self {
        case .badRequest:
            ReasonText(
                cause: "The request is malformed or ambiguous in its head, path, `Host` or body, or it ended early. "
                    + "For a head or path, `detail` in the access log names the broken rule and the byte offset. "
                    + "A path with `;` is refused unless `path_parameters` is `keep`, "
                    + "and one with `%2F` unless `encoded_slashes` lets it through.",
                remedy: "Correct the client or proxy that wrote the request. "
                    + "If the resource uses `;` in paths, set `path_parameters: keep`; for `%2F`, `encoded_slashes: keep`."
            )
        case .methodNotAllowed:
            ReasonText(
                cause: "The method is CONNECT or TRACE, which are never forwarded. "
                    + "Over HTTP/2 this includes WebSockets to a resource without `websocket: true`.",
                remedy: "Have the client use another method. If the resource serves WebSockets, set `websocket: true`.")
        case .requestTimeout:
            ReasonText(
                cause:
                    "The head did not arrive within `timeouts.head`, or the body stalled for `timeouts.body_idle` or "
                    + "`timeouts.stream_idle`. Or the body was slower than `limits.body_rate`.",
                remedy:
                    "Check the client and its network. If slow clients are expected, raise the timeout or lower `limits.body_rate`."
            )
        case .bodyTooLarge:
            ReasonText(
                cause: "The request body is longer than `limits.body` of the file, the resource or the rule.",
                remedy: "Have the client send a smaller body. If such bodies are expected, raise `limits.body`.")
        case .targetTooLong:
            ReasonText(
                cause: "The request target, path and query together, is longer than `limits.target`.",
                remedy:
                    "Have the client send long parameters in the body. If such targets are expected, raise `limits.target`."
            )
        case .expectationFailed:
            ReasonText(
                cause: "The request has an `Expect` header that is repeated or is not `100-continue`.",
                remedy: "Remove the `Expect` header from the client's request, or send `Expect: 100-continue` once.")
        case .headTooLarge:
            ReasonText(
                cause:
                    "The request head exceeds `limits.head`, `limits.field`, `limits.fields` or `limits.authorization`. "
                    + "Or its `Connection` header has too many options.",
                remedy:
                    "Look for large cookies or tokens in the request. If they are legitimate, raise the limit that they exceed."
            )
        case .codingNotSupported:
            ReasonText(
                cause: "`Transfer-Encoding` names a coding other than `chunked`.",
                remedy: "Have the client send `Transfer-Encoding: chunked` alone, or `Content-Length`. "
                    + "For compression, use `Content-Encoding`.")
        case .versionNotSupported:
            ReasonText(
                cause: "The request line names an HTTP version other than 1.0 and 1.1.",
                remedy:
                    "Have the client use HTTP/1.1. If it speaks HTTP/2 without TLS, add `h2c` to the listener's `protocols`."
            )
        }
    }
}

extension DoorFault {
    fileprivate var text: ReasonText {
        switch self {
        case .requestInvalid:
            ReasonText(
                cause:
                    "A proxy asked at a door of `doors` and did not state method, target, host and scheme exactly once, "
                    + "in the headers of that `kind`. Or `Connection` names one of these headers.",
                remedy: "Configure the proxy as `docs/doors.md` shows. "
                    + "If a request was sent by hand, send it to an address of `listen`: a door is for the proxy alone."
            )
        case .untrusted:
            ReasonText(
                cause: "A peer whose address is not in `from` asked at a door of `doors`.",
                remedy:
                    "If the peer is your proxy, add its address to `from`. Otherwise find out who reaches the door's address, "
                    + "and close it for them.")
        case .cannotAnswer:
            ReasonText(
                cause:
                    "The answer would be a metadata document or a preflight's, and the proxy of this door treats every 2xx as a permission.",
                remedy: "Have the proxy send `/.well-known/oauth-protected-resource` to an address of `listen`, "
                    + "and answer preflights itself. The doors of `nginx` and `haproxy` have no such limit.")
        }
    }
}

extension PreflightVerdict {
    fileprivate var text: ReasonText {
        switch self {
        case .granted:
            ReasonText(
                cause:
                    "A browser asked what a page of an origin in `cors.origins` may send. The answer names the methods and headers. "
                    + "Or it asked about a metadata document, which every page may read.",
                remedy:
                    "Nothing, unless the line has a `detail`: then the answer permits less than was asked, and most browsers report a CORS error. "
                    + "`detail` has the method and headers asked, and those granted. "
                    + "Headers are added by `cors.headers`, methods by rules.")
        case .refused:
            ReasonText(
                cause: "A browser asked what a page may send, and its origin is not in `cors.origins`. "
                    + "Or no rule of the resource is for the path. "
                    + "Or `cors.headers` is `any`, and it asked about something that is no header name, or about more than 100.",
                remedy:
                    "If the page is yours, add its origin to `cors.origins` as the browser writes it, without a path. "
                    + "Otherwise do nothing.")
        }
    }
}
