import TokenVerification

/// Members of an access log line, in their order in the line.
enum AccessLogMember: String, CaseIterable {
    case time
    case requestID = "request_id"
    case traceID = "trace_id"
    case client
    case method
    case host
    case path
    case resource
    case rule
    case status
    case reason
    case would
    case hint
    case detail
    case issuer
    case subject
    case subjectClaim = "subject_claim"
    case clientID = "client_id"
    case keyID = "kid"
    case tokenID = "token_id"
    case scopes
    case actor
    case tenant
    case organization
    case claims
    case cache
    case door
    case clientCertificate = "client_certificate"
    case upstream
    case upstreamStatus = "upstream_status"
    case upstreamError = "upstream_error"
    case duration = "duration_us"
    case upstreamDuration = "upstream_us"
    case bytesIn = "bytes_in"
    case bytesOut = "bytes_out"
    case httpVersion = "protocol"

    /// Description of a member in the reference documentation.
    struct Text {
        let type: String
        let meaning: String
        /// Condition under which it is null or left out. Empty if it is always present.
        let absence: String
    }

    var text: Text {
        switch self {
        case .time:
            Text(
                type: "string",
                meaning: "When the first byte of the request was received: RFC 3339, UTC, milliseconds.", absence: "")
        case .requestID:
            Text(
                type: "string", meaning: "The `X-Request-ID` of the answer; a trusted proxy's own is kept.", absence: ""
            )
        case .traceID:
            Text(
                type: "string", meaning: "The trace, as in `traceparent`, recorded or not.",
                absence: "left out without `telemetry: {traces: …}`")
        case .client:
            Text(
                type: "string",
                meaning:
                    "The client's address; behind `trusted_proxies`, the last one of `X-Forwarded-For` that is not trusted. "
                    + "`redact` changes it.",
                absence: "null if it is redacted")
        case .method: Text(type: "string", meaning: "The request's method.", absence: "null if no head could be read")
        case .host:
            Text(
                type: "string", meaning: "The request's host and port, as the client wrote them.",
                absence: "null without one")
        case .path:
            Text(
                type: "string",
                meaning:
                    "The request's path without its query, in the form by which it was judged; `redact` changes it.",
                absence: "null if no head could be read, or if it is redacted")
        case .resource:
            Text(
                type: "string", meaning: "The resource's identifier.", absence: "null if none is at this host and path")
        case .rule: Text(type: "string", meaning: "The rule as the file has it.", absence: "null if none matched")
        case .status:
            Text(
                type: "number", meaning: "The HTTP status that the client was sent.",
                absence: "null if it was sent none")
        case .reason:
            Text(
                type: "string", meaning: "Why Bearward answered the request itself ([reasons](reasons.md)).",
                absence: "null for a request that was forwarded and answered")
        case .would:
            Text(
                type: "object",
                meaning:
                    "The verdict that would have applied: with the rule enforced (`by` is `observe`), or under the file of "
                    + "`--shadow` (`by` is `shadow`). A request that this file permits has status 200 and no reason; "
                    + "one that it cannot judge has no status and the reason `unknown`.",
                absence: "left out if the verdict is the same")
        case .hint:
            Text(
                type: "string",
                meaning:
                    "A common mistake that explains the refusal, or what to do about it; contains only configuration values.",
                absence: "left out if none is known")
        case .detail:
            Text(
                type: "string",
                meaning:
                    "What was seen of the refused token or origin, and what is accepted. For a head or target, the rule that it breaks, "
                    + "and the byte that breaks it. For missing keys, why the last key request failed. For a preflight that is not "
                    + "granted all it asks, both. For a stream that ended with its permission, when. `redact` changes it.",
                absence: "left out if the reason says it all")
        case .issuer:
            Text(
                type: "string", meaning: "The operator's name of the issuer that the token names.",
                absence: "null if no token was read, or no issuer of the resource is named")
        case .subject:
            Text(
                type: "string", meaning: "The token's subject; `redact` changes it.",
                absence: "null until the signature is verified, or if the token names no subject")
        case .subjectClaim:
            Text(
                type: "string", meaning: "The claim that the subject was taken from.",
                absence: "left out without a subject, and for an issuer that has it in `sub` alone")
        case .clientID:
            Text(
                type: "string", meaning: "The client that the token was issued to; `redact` changes it.",
                absence: "null until the signature is verified, or if the token names none")
        case .keyID:
            Text(
                type: "string", meaning: "The `kid` in the token's header, verified or not.",
                absence: "null without one")
        case .tokenID:
            Text(
                type: "string", meaning: "The token's `jti`; `redact` changes it.",
                absence: "null until the signature is verified, or without one")
        case .scopes:
            chosen("The token's scopes, as rules name them, joined by spaces.")
        case .actor:
            chosen("Who acts for the subject: `sub` in the token's `act` (RFC 8693).")
        case .tenant:
            chosen(
                "The tenant that the token names, or the realm of its issuer; the profile says in which claim.")
        case .organization:
            chosen("The organization that the token is for; the profile says in which claim.")
        case .claims:
            Text(
                type: "object",
                meaning:
                    "Claims that `access_log` names, as text, number or boolean. An array or object is the beginning of its "
                    + "JSON, as text. A claim that the token lacks is left out. `redact` changes them.",
                absence: "left out unless `access_log` names claims; null until the signature is verified")
        case .cache:
            Text(
                type: "string",
                meaning: "`hit`, `miss` or `off`: whether the token, or its introspection answer, was in the cache.",
                absence: "null if no token was looked for")
        case .door:
            Text(
                type: "string", meaning: "The kind of forward auth (door) by which a proxy asked about the request.",
                absence: "left out if its client sent it")
        case .clientCertificate:
            Text(
                type: "string", meaning: "SHA-256 of the client's certificate, as `x5t#S256` has it.",
                absence: "left out where clients are asked for none; null without one")
        case .upstream:
            Text(
                type: "string", meaning: "The target that the request was sent to, as host and port.",
                absence: "null if it was sent to none")
        case .upstreamStatus:
            Text(type: "number", meaning: "The HTTP status of the upstream's answer.", absence: "null without one")
        case .upstreamError:
            Text(
                type: "string", meaning: "Why the upstream failed: the error, or the time-out that passed.",
                absence: "left out unless `reason` is about the upstream")
        case .duration:
            Text(type: "number", meaning: "Microseconds from the request's first byte to its end.", absence: "")
        case .upstreamDuration:
            Text(
                type: "number",
                meaning: "Microseconds from forwarding the request to the end of the upstream's answer.",
                absence: "null if it was sent to none")
        case .bytesIn:
            Text(type: "number", meaning: "Bytes received of the request: head, body and framing.", absence: "")
        case .bytesOut: Text(type: "number", meaning: "Bytes sent of the answer: head, body and framing.", absence: "")
        case .httpVersion:
            Text(
                type: "string", meaning: "`h2`, `http/1.1` or `http/1.0`, as ALPN names it.",
                absence: "null if no head could be read")
        }
    }

    /// Text of a member that is in the line only if the file chooses it.
    private func chosen(_ meaning: String) -> Text {
        Text(
            type: "string", meaning: "\(meaning) `redact` changes it.",
            absence:
                "left out unless `access_log` chooses it; null until the signature is verified, or if the token has none"
        )
    }
}

extension AccessLogMember {
    /// The member that has a chosen value of a token.
    init(_ member: LoggedMember) {
        self =
            switch member {
            case .scopes: .scopes
            case .actor: .actor
            case .tenant: .tenant
            case .organization: .organization
            case .claim: .claims
            }
    }
}
