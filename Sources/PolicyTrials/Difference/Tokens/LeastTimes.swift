import ConfigurationFile
import TokenVerification

/// Parameters of a test whose values are the bounds of its verdict.
extension TimeTest {
    fileprivate var leeway: Leeway {
        switch self {
        case .valid(let rules): rules.leeway
        case .authenticated(_, let leeway): leeway
        }
    }

    fileprivate var longestLifetime: Double? {
        if case .valid(let rules) = self { rules.maxLifetime } else { nil }
    }

    fileprivate var longestAge: Double? {
        switch self {
        case .valid(let rules): rules.maxAuthenticationAge
        case .authenticated(let age, _): age
        }
    }
}

extension NumericDate {
    fileprivate init(seconds1970: Int64) { self.init(seconds: Double(seconds1970)) }
}

/// Times of the token that a search looks for, in seconds since 1970.
struct LeastTimes: Hashable {
    /// Value of `exp`.
    let expires: Int64
    /// Value of `iat`. Nil if the token has none.
    let issued: Int64?
    /// Value of `auth_time`. Nil if the token has none.
    let signedIn: Int64?

    /// Lifetime in seconds that is tried first.
    static let usualLifetime: Int64 = 300

    private var times: TokenTimes {
        TokenTimes(
            expiration: NumericDate(seconds1970: expires), issue: issued.map(NumericDate.init(seconds1970:)),
            authentication: signedIn.map(NumericDate.init(seconds1970:)))
    }

    /// The times as members of the claims set.
    var members: [StatedMember] {
        [("iat", issued), ("exp", expires), ("auth_time", signedIn)].compactMap { name, time in
            time.map { StatedMember(name, .integer($0)) }
        }
    }

    private static let locations = Set(["iat", "exp", "auth_time"].map { ClaimLocation(member: $0) })

    static func have(_ location: ClaimLocation) -> Bool { locations.contains(location) }

    /// Finds the first combination of times that meets all tests. Usual times are tried first, then both sides of each
    /// bound.
    ///
    /// Nil if no combination meets all tests.
    ///
    /// - Parameter claims: tests of the same claims as plain values.
    static func solution(_ wanted: [Wanted<TimeTest>], _ claims: [ClaimLocation: ClaimCell], at now: Int64)
        -> LeastTimes?
    {
        let tests = wanted.map(\.test)
        let leeways = Set(tests.map(\.leeway))
        let date = NumericDate(seconds1970: now)
        let later = leeways.map { Int64($0.latestStart(at: date).seconds.rounded(.down)) }.sorted()
        let issued: [Int64?] = [now, nil] + later.flatMap { [$0, $0 + 1] }
        let signedIn = signIns(tests, later, at: now)
        for issued in issued {
            for expires in expirations(tests, issued, leeways, at: now) {
                for signedIn in signedIn {
                    let times = LeastTimes(expires: expires, issued: issued, signedIn: signedIn)
                    if wanted.allSatisfy({ $0.test.holds(for: times.times, at: date) == $0.holds }), times.meet(claims)
                    {
                        return times
                    }
                }
            }
        }
        return nil
    }

    private static func expirations(
        _ tests: [TimeTest], _ issued: Int64?, _ leeways: Set<Leeway>, at now: Int64
    ) -> [Int64] {
        let lifetimes = Set(tests.compactMap(\.longestLifetime)).sorted().map {
            (issued ?? now) + Int64($0.rounded(.down))
        }
        let past = leeways.map { Int64($0.latestExpired(at: NumericDate(seconds1970: now)).seconds.rounded(.down)) }
            .sorted(by: >)
        return [now + usualLifetime] + lifetimes.flatMap { [$0, $0 + 1] } + past + past.map { $0 + 1 }
    }

    private static func signIns(_ tests: [TimeTest], _ later: [Int64], at now: Int64) -> [Int64?] {
        let earliest = tests.flatMap { test in
            tests.compactMap(\.longestAge).map { age in
                let earliest = test.leeway.earliestAuthentication(within: age, at: NumericDate(seconds1970: now))
                return Int64(earliest.seconds.rounded(.up))
            }
        }
        return [nil, now] + Set(earliest).sorted(by: >).flatMap { [$0, $0 - 1] } + later.flatMap { [$0, $0 + 1] }
    }

    private func meet(_ claims: [ClaimLocation: ClaimCell]) -> Bool {
        claims.isEmpty
            || claims.allSatisfy { location, cell in
                let member = members.first { ClaimLocation(member: $0.name) == location }
                return cell.isMet(by: member.flatMap { ClaimValue($0.value) })
            }
    }
}
