import StrictJSON

/// Test of a token's times.
public enum TimeTest: Sendable, Hashable {
    /// The times satisfy the issuer's rules.
    case valid(TimeRules)
    /// The user authenticated at most this many seconds ago.
    case authenticated(within: Double, Leeway)

    public func holds(for times: TokenTimes, at now: NumericDate) -> Bool {
        switch self {
        case .valid(let rules): rules.rejection(of: times, at: now) == nil
        case .authenticated(let age, let leeway):
            leeway.isAuthenticated(times.authentication, within: age, at: now)
        }
    }
}

/// The times of a token. A time is nil if the claim is absent, or is not a date.
public struct TokenTimes: Sendable, Hashable {
    /// Time at which the token expires (`exp`). Nil if the claim is absent or not a date.
    public var expiration: NumericDate?
    /// Time before which the token is not valid (`nbf`). Nil if the claim is absent or not a date.
    public var notBefore: NumericDate?
    /// Time at which the token was issued (`iat`). Nil if the claim is absent or not a date.
    public var issue: NumericDate?
    /// Time at which the user authenticated (`auth_time`, OpenID Connect Core §2). Nil if the claim is absent or not a
    /// date.
    public var authentication: NumericDate?

    public init(expiration: NumericDate?, issue: NumericDate?, authentication: NumericDate?) {
        self.expiration = expiration
        self.issue = issue
        self.authentication = authentication
    }

    /// Reads the times from a claims set. A claim that is not a number is read as nil, and is not rejected here.
    public init(_ claims: ClaimsSet) {
        func date(_ name: StaticString) -> NumericDate? {
            claims.json[member: name]?.real.map(NumericDate.init(seconds:))
        }
        expiration = date("exp")
        issue = date("iat")
        authentication = date("auth_time")
        notBefore = date("nbf")
    }
}

extension TimeRules {
    /// Checks all times of a token. Nil if they satisfy the rules.
    public func rejection(of times: TokenTimes, at now: NumericDate) -> TokenRejection? {
        if let expiration = times.expiration, let rejection = rejection(ofExpiration: expiration, at: now) {
            return rejection
        }
        return times.notBefore.flatMap { rejection(ofStart: $0, until: times.expiration, at: now) }
            ?? times.issue.flatMap { rejection(ofStart: $0, until: times.expiration, at: now) }
            ?? rejection(ofLifetimeFrom: times.issue, until: times.expiration, at: now)
            ?? rejection(ofAuthentication: times.authentication, at: now)
    }
}
