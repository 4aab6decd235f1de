/// Accepted difference between an issuer's clock and this machine's.
///
/// This type and ``TimeRules`` contain all arithmetic with a token's times. Seconds are a `Double` here, because every
/// request with a cached token is checked with them.
public struct Leeway: Sendable, Hashable {
    private let seconds: Double

    public init(_ span: Duration) { seconds = span.inSeconds }

    /// Time from which on a token with this `exp` is rejected.
    public func end(of expiration: NumericDate) -> NumericDate { NumericDate(seconds: expiration.seconds + seconds) }

    /// True if a token with this `exp` has expired, even with the leeway (RFC 7519 §4.1.4).
    public func isExpired(_ expiration: NumericDate, at now: NumericDate) -> Bool {
        now.seconds >= expiration.seconds + seconds
    }

    /// True if an `nbf`, `iat` or `auth_time` is not in the future, with the leeway (RFC 7519 §4.1.5).
    public func hasCome(_ date: NumericDate, at now: NumericDate) -> Bool { date.seconds <= now.seconds + seconds }

    /// True if the user authenticated at most `age` seconds ago, with the leeway. False if that time is in the future.
    ///
    /// - Parameter time: `auth_time`. Nil if the token has none, or one that is not a date.
    public func isAuthenticated(_ time: NumericDate?, within age: Double, at now: NumericDate) -> Bool {
        guard let time, time.seconds >= 0, hasCome(time, at: now) else { return false }
        return now.seconds <= time.seconds + age + seconds
    }

    // MARK: Times at which results change

    /// The latest `nbf`, `iat` or `auth_time` that does not count as in the future.
    public func latestStart(at now: NumericDate) -> NumericDate { NumericDate(seconds: now.seconds + seconds) }

    /// The latest `exp` that counts as expired.
    public func latestExpired(at now: NumericDate) -> NumericDate { NumericDate(seconds: now.seconds - seconds) }

    /// The earliest `auth_time` that counts as at most `age` seconds ago.
    public func earliestAuthentication(within age: Double, at now: NumericDate) -> NumericDate {
        NumericDate(seconds: now.seconds - age - seconds)
    }
}

/// Bounds that an issuer sets for the times of its tokens: `exp`, `nbf`, `iat` and `auth_time`.
///
/// Each method returns the rejection of a token that breaks a rule. Nil if the token keeps it. Does not check that a
/// claim is a date.
public struct TimeRules: Sendable, Hashable {
    public let leeway: Leeway
    /// Longest time from `iat` to `exp`, in seconds. Nil if the issuer has no bound.
    public let maxLifetime: Double?
    /// Longest time since the user authenticated, in seconds. Nil if the issuer has no bound.
    public let maxAuthenticationAge: Double?
    /// True if `auth_time` must be present.
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

    /// Checks `exp`. Nil if the token has not expired, leeway included.
    public func rejection(ofExpiration expiration: NumericDate, at now: NumericDate) -> TokenRejection? {
        leeway.isExpired(expiration, at: now) ? .expired : nil
    }

    /// Checks `nbf` or `iat`.
    ///
    /// - Parameter expiration: `exp`, which must not be earlier than `start`. Nil if the token has none.
    public func rejection(
        ofStart start: NumericDate, until expiration: NumericDate?, at now: NumericDate
    ) -> TokenRejection? {
        guard start.seconds >= 0, start <= expiration ?? .latest else { return .claimInvalid }
        return leeway.hasCome(start, at: now) ? nil : .notYetValid
    }

    /// Checks the lifetime of a token.
    ///
    /// - Parameters:
    ///   - start: `iat`. Nil if the token has none; the lifetime then counts from now.
    ///   - expiration: `exp`. Nil if the token has none; its lifetime then exceeds every bound.
    public func rejection(
        ofLifetimeFrom start: NumericDate?, until expiration: NumericDate?, at now: NumericDate
    ) -> TokenRejection? {
        guard let maxLifetime else { return nil }
        guard let expiration, expiration.seconds <= (start ?? now).seconds + maxLifetime else { return .claimInvalid }
        return nil
    }

    /// Checks `auth_time`.
    ///
    /// - Parameter time: `auth_time`. Nil if the token has none, or one that is not a date.
    public func rejection(ofAuthentication time: NumericDate?, at now: NumericDate) -> TokenRejection? {
        guard needsAuthenticationTime else { return nil }
        guard let time, time.seconds >= 0, leeway.hasCome(time, at: now) else { return .authTimeInvalid }
        guard let maxAuthenticationAge else { return nil }
        return leeway.isAuthenticated(time, within: maxAuthenticationAge, at: now) ? nil : .authenticationTooOld
    }
}
