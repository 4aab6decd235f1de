/// Span by which an issuer's clock and this machine's may differ.
///
/// Together with ``TimeRules`` the only arithmetic with a token's times. Seconds are numbers here, because every
/// request with a cached token is judged by them.
public struct Leeway: Sendable, Hashable {
    private let seconds: Double

    public init(_ span: Duration) { seconds = span.inSeconds }

    /// Moment from which on a token with this `exp` is refused.
    public func end(of expiration: NumericDate) -> NumericDate { NumericDate(seconds: expiration.seconds + seconds) }

    /// True if a token with this `exp` is refused by now (RFC 7519 §4.1.4).
    public func isExpired(_ expiration: NumericDate, at now: NumericDate) -> Bool {
        now.seconds >= expiration.seconds + seconds
    }

    /// True if an `nbf`, `iat` or `auth_time` is not in the future (RFC 7519 §4.1.5).
    public func hasCome(_ date: NumericDate, at now: NumericDate) -> Bool { date.seconds <= now.seconds + seconds }

    /// True if the user authenticated at most so many seconds ago; false if that time is in the future.
    ///
    /// - Parameter time: `auth_time`. Nil if the token has none that is a date.
    public func isAuthenticated(_ time: NumericDate?, within age: Double, at now: NumericDate) -> Bool {
        guard let time, time.seconds >= 0, hasCome(time, at: now) else { return false }
        return now.seconds <= time.seconds + age + seconds
    }

    // MARK: Where verdicts turn

    /// The latest `nbf`, `iat` or `auth_time` that has come.
    public func latestStart(at now: NumericDate) -> NumericDate { NumericDate(seconds: now.seconds + seconds) }

    /// The latest `exp` of a token that has expired.
    public func latestExpired(at now: NumericDate) -> NumericDate { NumericDate(seconds: now.seconds - seconds) }

    /// The earliest `auth_time` that is at most so many seconds ago.
    public func earliestAuthentication(within age: Double, at now: NumericDate) -> NumericDate {
        NumericDate(seconds: now.seconds - age - seconds)
    }
}

/// Bounds that an issuer sets for the times of its tokens: `exp`, `nbf`, `iat` and `auth_time`.
///
/// Each rule returns the refusal of a token that breaks it, and nil for one that keeps it. Not checked: that a claim is
/// a date.
public struct TimeRules: Sendable, Hashable {
    public let leeway: Leeway
    /// Longest seconds from `iat` to `exp`. Nil if the issuer has no bound.
    public let maxLifetime: Double?
    /// Longest seconds since the user authenticated. Nil if the issuer has no bound.
    public let maxAuthenticationAge: Double?
    /// True if `auth_time` must be there.
    public let needsAuthenticationTime: Bool

    public init(
        leeway: Leeway, maxLifetime: Duration? = nil, maxAuthenticationAge: Duration? = nil,
        needsAuthenticationTime: Bool = false
    ) {
        self.leeway = leeway
        self.maxLifetime = maxLifetime?.inSeconds
        self.maxAuthenticationAge = maxAuthenticationAge?.inSeconds
        self.needsAuthenticationTime = needsAuthenticationTime || maxAuthenticationAge != nil
    }

    /// Judges `exp`.
    public func rejection(ofExpiration expiration: NumericDate, at now: NumericDate) -> TokenRejection? {
        leeway.isExpired(expiration, at: now) ? .expired : nil
    }

    /// Judges `nbf` or `iat`.
    ///
    /// - Parameter expiration: the `exp` that it must not come after. Nil if the token has none.
    public func rejection(
        ofStart start: NumericDate, until expiration: NumericDate?, at now: NumericDate
    ) -> TokenRejection? {
        guard start.seconds >= 0, start <= expiration ?? .latest else { return .claimInvalid }
        return leeway.hasCome(start, at: now) ? nil : .notYetValid
    }

    /// Judges the time for which the token is valid.
    ///
    /// - Parameters:
    ///   - start: `iat`. Nil if the token has none: the time counts from now on.
    ///   - expiration: `exp`. Nil if the token has none, which is no lifetime that could be short enough.
    public func rejection(
        ofLifetimeFrom start: NumericDate?, until expiration: NumericDate?, at now: NumericDate
    ) -> TokenRejection? {
        guard let maxLifetime else { return nil }
        guard let expiration, expiration.seconds <= (start ?? now).seconds + maxLifetime else { return .claimInvalid }
        return nil
    }

    /// Judges `auth_time`.
    ///
    /// - Parameter time: nil if the token has none that is a date.
    public func rejection(ofAuthentication time: NumericDate?, at now: NumericDate) -> TokenRejection? {
        guard needsAuthenticationTime else { return nil }
        guard let time, time.seconds >= 0, leeway.hasCome(time, at: now) else { return .authTimeInvalid }
        guard let maxAuthenticationAge else { return nil }
        return leeway.isAuthenticated(time, within: maxAuthenticationAge, at: now) ? nil : .authenticationTooOld
    }
}
