import AccessControl
import HTTPMessages
import JOSE
import StrictJSON
import TokenVerification

/// Texts of the steps in an explanation.
extension ExplainedWalk {
    func step(_ check: TokenCheck, _ resource: ProtectedResource?) -> Explanation.Step {
        let stage = WalkStage.token(check)
        return switch check {
        case .form:
            step(stage, "form", facts.isOpaque ? "an opaque token (no compact JWS)" : form, failure: formFailure)
        case .introspection:
            step(stage, "introspection", "\(issuer?.name ?? "") says it is active", failure: introspectionFailure)
        case .issuer: step(stage, "issuer", issuerName, failure: Self.foreign)
        case .header: step(stage, "header", header, failure: Self.foreign)
        case .key: step(stage, "key", keyName, failure: "the issuer's keys are not available")
        case .signature:
            step(stage, "signature", signature, failure: "not made by that key over these bytes")
        case .origin: step(stage, "origin", "the key is valid for this issuer and tenant", failure: originFailure)
        case .times: step(stage, "times", detail.times, failure: detail.times)
        case .audience: step(stage, "audience", detail.audience, failure: detail.audience)
        case .kind: step(stage, "kind", "a token for APIs, not for sign-in", failure: kindFailure)
        case .client: step(stage, "client", client, failure: client)
        case .subject: step(stage, "subject", subject, failure: subject)
        case .claims:
            step(stage, "claims", "meet the issuer's further requirements (`require`)", failure: claimsFailure)
        case .binding:
            step(stage, "binding", "not bound to a key of its holder", failure: "bound to a key of its holder (cnf)")
        }
    }

    var pathFailure: String {
        "two readers may read this path differently: \(detail.text ?? "it has no canonical form")"
    }

    var placeFailure: String {
        failed == .message(.badRequest)
            ? facts.hint ?? "`;` in a path is refused unless the resource says `path_parameters: keep`"
            : "no resource is at this host and path"
    }

    /// The path, and its other readings if encoded slashes give it some.
    var path: String {
        let text = request.head.string(request.head.target.path)
        guard facts.stage > .place, request.path.hasEncodedSlashes || request.path.hasDoubleEncoding else {
            return text
        }
        if facts.resource.flatMap({ authorizer.resources[$0] })?.encodedSlashes == .opaque {
            return text + ", with `%2F` and `%25` as ordinary characters of a segment (`encoded_slashes: opaque`)"
        }
        guard let readings = try? request.path.decodedReadings(), !readings.isEmpty else { return text }
        return text + ", judged as "
            + readings.map { String(decoding: $0.canonical, as: UTF8.self) }.joined(separator: " and ") + " too"
    }

    func ruleFailure(_ resource: ProtectedResource?) -> String {
        if failed == .message(.badRequest), let hint = facts.hint { return hint }
        let rules = resource.map { $0.routes.routes.map { "`\($0)`" }.joined(separator: ", ") } ?? ""
        return "none of the rules matches this method and path: \(rules)"
    }

    /// True if the request is refused for the `Authorization` that its upstream would get.
    var isRefusedPassing: Bool {
        failed == .credentials(.multiple)
            && [RequestWalk.severalAuthorizations, RequestWalk.tokenInAuthorization].contains(facts.hint)
    }

    var credentialsFailure: String {
        let name = place.fieldName
        let prefix = if case .field(let field) = place { String(decoding: field.prefix, as: UTF8.self) } else { "" }
        let places = facts.resource.flatMap { authorizer.resources[$0] }?.tokenPlaces ?? [place]
        let names = { (places: [TokenPlace], word: String) in places.map(\.fieldName).joined(separator: " \(word) ") }
        let used = places.filter { $0.isUsed(in: request.head) }
        return switch (failed, place) {
        case (.credentials(.multiple), .subprotocol):
            "more than one: two tokens or names among the subprotocols, two \(name) fields, or a token elsewhere besides"
        case (.credentials(.malformed), .subprotocol(let before)):
            "the subprotocols of a WebSocket's handshake are not "
                + "`\(String(decoding: before.spelling, as: UTF8.self))` and one token behind it"
        case (.credentials(.multiple), _) where isRefusedPassing: facts.hint ?? ""
        case (.credentials(.multiple), _) where used.count > 1:
            "more than one: fields \(names(used, "and")), of which one alone may be there"
        case (.credentials(.multiple), _): "more than one: two \(name) fields, or a token in the query besides"
        case (.credentials(.malformed), .authorization):
            "the Authorization field is not `Bearer`, a space, and one token"
        case (.credentials(.malformed), .field):
            "the \(name) field is not " + (prefix.isEmpty ? "one token" : "`\(prefix)` and one token")
        case (_, .authorization) where places.count > 1 && used.isEmpty,
            (_, .field) where places.count > 1 && used.isEmpty:
            "no \(names(places, "or")) field with a token"
        case (_, .authorization): "no Authorization field with the Bearer scheme"
        case (_, .field): "no \(name) field" + (prefix.isEmpty ? " with a value" : " that begins with `\(prefix)`")
        case (_, .subprotocol): "no token among the subprotocols"
        }
    }

    var form: String {
        guard let token else { return "" }
        return "compact JWS, \(token.header.algorithmName), " + (token.header.keyID.map { "kid \($0)" } ?? "no kid")
    }

    var formFailure: String {
        switch failed {
        case .token(.opaqueNotSupported): "an opaque token (no dots): only its issuer can verify it"
        default: "it is not a well-formed token"
        }
    }

    var introspectionFailure: String {
        failed == .token(.inactive)
            ? "its issuer says it is not active" : "its issuer could not be asked (not reachable, or not asked offline)"
    }

    var issuerName: String {
        "\(issuer?.name ?? "") (\(token?.claims.issuer ?? ""))"
    }

    static let foreign = "a `nonce` in the header: made for another service of the platform, which alone can verify it"

    var header: String {
        let signer = issuer?.signerRule.flatMap { _ in token?.header.statement[.signer] }
        return "typ \(token?.header.type ?? "absent"), \(token?.header.algorithmName ?? "") is on the issuer's list"
            + (signer.map { ", and so is the signer \($0)" } ?? "")
    }

    var keyName: String {
        if isSignatureAssumed { return "taken to be one of \(issuer?.name ?? "the issuer")'s" }
        return facts.keyID ?? "one that fits, of at most \(CandidateKeys.most)"
    }

    var signature: String {
        isSignatureAssumed ? "assumed, not checked" : "made by that key over exactly these bytes"
    }

    var originFailure: String {
        switch failed {
        case .token(.tenantNotAllowed): "tid is \(claim("tid")), which is not an accepted tenant"
        case .token(.keyIssuerMismatch): "the key belongs to another issuer of the same platform"
        case .token(.policyNotAllowed):
            "the user flow (tfp \(claim("tfp")), acr \(claim("acr"))) is not accepted, or another flow's key signed"
        default:
            "tid is \(claim("tid")): not a GUID, not the tenant of iss, or beside another member that differs in case only"
        }
    }

    func claim(_ name: String) -> String {
        claims?.json[name].map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "missing"
    }

    var client: String {
        let client = issuer.flatMap { claims?.identifier(of: $0.clientClaims) } ?? "not named"
        return "the client is \(client)" + (issuer?.clients.map { "; accepted: \($0.joined(separator: ", "))" } ?? "")
    }

    var kindFailure: String {
        switch failed {
        case .token(.notAccessToken) where facts.isOpaque:
            "token_type is \(claim("token_type")), token_use \(claim("token_use")), typ \(claim("typ")): not stated to be an access token"
        case .token(.versionNotAllowed): "ver is \(claim("ver")), which is not accepted"
        default: "not an access token of this issuer: an ID token, or another kind"
        }
    }

    var claimsFailure: String {
        switch failed {
        case .token(.tenantNotAllowed): "of a tenant that is not wanted here"
        case .token(.policyNotAllowed): "of a sign-in method or user flow that is not wanted here"
        case .token(.clientNotAllowed): "of a kind of client that is not wanted here"
        case .token(.claimNotAllowed): missedClaim
        default: "a claim is missing or not what it must be (jti is text; or what the issuer's rules ask for)"
        }
    }

    /// The claim that the issuer's `require` asks for, and the value that the token has instead.
    private var missedClaim: String {
        guard let checks = issuer?.claimChecks, let missed = facts.missed, checks.indices.contains(missed),
            case .claim(let path, .held(let choice), holds: true) = checks[missed].test, choice.patterns.isEmpty
        else { return "not what the issuer's `require` asks for" }
        let found =
            claims.flatMap { path.value(in: $0.json) }.map { String(decoding: $0.serialized(), as: UTF8.self) }
            ?? "missing"
        return "\(path) is \(found); required: \(choice)"
    }

    var subject: String {
        let paths = issuer?.subject.claims ?? [ClaimPath(member: "sub")]
        let told = paths.compactMap { path in
            claims.flatMap { path.value(in: $0.json) }.map {
                "\(path) is \(String(decoding: $0.serialized(), as: UTF8.self))"
            }
        }
        return told.isEmpty ? "no subject" : told.joined(separator: ", ")
    }
}
