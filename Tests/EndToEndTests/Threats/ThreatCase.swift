import TestSupport
import Testing

/// One threat case: bytes that a client sends, and the required outcome.
struct ThreatCase: Sendable, CustomTestStringConvertible {
    /// The case's stable number, and its distinguishing text within that number.
    let name: String
    let request: Request
    /// The outcome of each request in the bytes, in order.
    let outcomes: [ThreatOutcome]
    /// True if the connection stays usable afterwards.
    let stays: Bool

    /// The request that a client sends. Tokens are made when the case runs, because they contain the time.
    enum Request: Sendable {
        case bytes([UInt8])
        /// Text in which `GOOD` is replaced by a valid token.
        case text(String)
        /// A `GET` of a path with the token as bearer.
        case token(path: String, @Sendable (ThreatTokens) -> String)
    }

    var testDescription: String { name }

    /// Requests as they are on the wire; `GOOD` is replaced by a valid token.
    static func raw(_ name: String, _ text: String, _ outcomes: ThreatOutcome...) -> ThreatCase {
        ThreatCase(
            name: name, request: .text(text), outcomes: outcomes, stays: outcomes.allSatisfy { !$0.endsConnection })
    }

    static func raw(_ name: String, bytes: [UInt8], _ outcome: ThreatOutcome) -> ThreatCase {
        ThreatCase(name: name, request: .bytes(bytes), outcomes: [outcome], stays: !outcome.endsConnection)
    }

    /// A request with these fields, without a body.
    static func fields(_ name: String, _ fields: [String], _ outcome: ThreatOutcome) -> ThreatCase {
        self.fields(name, "GET /orders HTTP/1.1", fields, outcome)
    }

    static func fields(_ name: String, _ line: String, _ fields: [String], _ outcome: ThreatOutcome) -> ThreatCase {
        raw(name, ([line, "Host: lab.example"] + fields).joined(separator: "\r\n") + "\r\n\r\n", outcome)
    }

    /// A request with a good token and one more line.
    static func line(_ name: String, _ line: String, _ outcome: ThreatOutcome) -> ThreatCase {
        raw(
            name, "POST /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer GOOD\r\n\(line)\r\n\r\n", outcome
        )
    }

    /// A good request with another target.
    static func target(_ name: String, _ target: String, _ outcome: ThreatOutcome) -> ThreatCase {
        fields(name, "GET \(target) HTTP/1.1", ["Authorization: Bearer GOOD"], outcome)
    }

    static func token(
        _ name: String, at path: String = "/orders", _ outcome: ThreatOutcome,
        _ make: @escaping @Sendable (ThreatTokens) -> String
    ) -> ThreatCase {
        ThreatCase(name: name, request: .token(path: path, make), outcomes: [outcome], stays: !outcome.endsConnection)
    }

    /// A good token in which one claim differs.
    static func claim(
        _ name: String, _ claim: String, _ json: String?, at path: String = "/orders", _ outcome: ThreatOutcome
    ) -> ThreatCase {
        token(name, at: path, outcome) { $0.signed($0.good.with(claim, json)) }
    }

    /// A good token in which one header member differs.
    static func header(_ name: String, _ member: String, _ json: String, _ outcome: ThreatOutcome) -> ThreatCase {
        token(name, outcome) { $0.signed($0.good.withHeader(member, json)) }
    }
}

/// Answer to the client and reason in the access log.
struct ThreatOutcome: Sendable, Equatable {
    let status: Int
    /// The reason in the access log. Nil for a forwarded request.
    let reason: String?
    /// The `error` of the challenge. Empty for a challenge without `error`, nil for no challenge.
    var error: String?
    var endsConnection = false

    static let forwarded = ThreatOutcome(status: 200, reason: nil)
    /// Forwarded as the last request of its connection.
    static let forwardedLast = ThreatOutcome(status: 200, reason: nil, endsConnection: true)
    static let anonymous = ThreatOutcome(status: 401, reason: "missing_credentials", error: "")
    static let malformedCredentials = ThreatOutcome(
        status: 400, reason: "malformed_credentials", error: "invalid_request")
    static let multipleCredentials = ThreatOutcome(
        status: 400, reason: "multiple_credentials", error: "invalid_request")
    static let insufficientScope = ThreatOutcome(status: 403, reason: "insufficient_scope", error: "insufficient_scope")
    static let noRule = ThreatOutcome(status: 403, reason: "no_rule")
    static let noResource = ThreatOutcome(status: 404, reason: "no_resource")
    static let badRequest = ending(400, "bad_request")
    static let headTooLarge = ending(431, "head_too_large")

    static func invalidToken(_ reason: String) -> ThreatOutcome {
        ThreatOutcome(status: 401, reason: reason, error: "invalid_token")
    }

    static func forbidden(_ reason: String) -> ThreatOutcome {
        ThreatOutcome(status: 403, reason: reason, error: "insufficient_scope")
    }

    /// A refusal after which the connection is closed, since its further bytes cannot be trusted.
    static func ending(_ status: Int, _ reason: String) -> ThreatOutcome {
        ThreatOutcome(status: status, reason: reason, endsConnection: true)
    }
}
