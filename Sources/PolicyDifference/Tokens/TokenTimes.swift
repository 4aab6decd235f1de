import ConfigurationFile
import TokenVerification

/// What is asked of a token's times.
enum TimeTest: Hashable {
    /// What its issuer's rules ask of them.
    case valid(leeway: Duration, maxLifetime: Duration?, maxAge: Duration?, needsSignIn: Bool)
    /// The user signed in no longer ago than this.
    case signedIn(within: Duration, leeway: Duration)

    func holds(for times: TokenTimes, at now: Double) -> Bool {
        switch self {
        case .valid(let leeway, let maxLifetime, let maxAge, let needsSignIn):
            let leeway = leeway.inSeconds
            let expires = Double(times.expires)
            guard now < expires + leeway else { return false }
            if let issued = times.issued.map(Double.init) {
                guard issued >= 0, issued <= expires, issued <= now + leeway else { return false }
            }
            if let maxLifetime, expires > (times.issued.map(Double.init) ?? now) + maxLifetime.inSeconds {
                return false
            }
            guard needsSignIn || maxAge != nil else { return true }
            guard let signedIn = times.signedIn.map(Double.init), signedIn >= 0, signedIn <= now + leeway else {
                return false
            }
            return maxAge.map { now <= signedIn + $0.inSeconds + leeway } ?? true
        case .signedIn(let limit, let leeway):
            guard let signedIn = times.signedIn.map(Double.init), signedIn >= 0 else { return false }
            return now <= signedIn + limit.inSeconds + leeway.inSeconds && signedIn <= now + leeway.inSeconds
        }
    }

    fileprivate var leeway: Double {
        switch self {
        case .valid(let leeway, _, _, _), .signedIn(_, let leeway): leeway.inSeconds
        }
    }

    fileprivate var longestLifetime: Double? {
        if case .valid(_, let lifetime?, _, _) = self { lifetime.inSeconds } else { nil }
    }

    fileprivate var longestAge: Double? {
        switch self {
        case .valid(_, _, let age, _): age?.inSeconds
        case .signedIn(let age, _): age.inSeconds
        }
    }
}

/// The times of a token, in seconds since 1970.
struct TokenTimes: Hashable {
    /// `exp`.
    let expires: Int64
    /// `iat`.
    let issued: Int64?
    /// `auth_time`.
    let signedIn: Int64?

    /// How long the usual token is good for.
    static let usualLifetime: Int64 = 300

    /// The claims, by their names.
    var members: [StatedMember] {
        [("iat", issued), ("exp", expires), ("auth_time", signedIn)].compactMap { name, time in
            time.map { StatedMember(name, .integer($0)) }
        }
    }

    private static let locations = Set(["iat", "exp", "auth_time"].map { ClaimLocation(member: $0) })

    static func have(_ location: ClaimLocation) -> Bool { locations.contains(location) }

    /// The first that is as wanted, the usual ones first; nil: none is.
    ///
    /// Both sides of each bound that a test has are tried.
    ///
    /// - Parameter claims: what is wanted of the same claims besides.
    static func solution(_ wanted: [Wanted<TimeTest>], _ claims: [ClaimLocation: ClaimCell], at now: Int64)
        -> TokenTimes?
    {
        let tests = wanted.map(\.test)
        let leeways = Set(tests.map(\.leeway)).sorted()
        let later = leeways.map { now + Int64($0.rounded(.down)) }
        let issued: [Int64?] = [now, nil] + later.flatMap { [$0, $0 + 1] }
        let signedIn = signIns(tests, later, at: now)
        for issued in issued {
            for expires in expirations(tests, issued, leeways, at: now) {
                for signedIn in signedIn {
                    let times = TokenTimes(expires: expires, issued: issued, signedIn: signedIn)
                    if wanted.allSatisfy({ $0.test.holds(for: times, at: Double(now)) == $0.holds }), times.meet(claims)
                    {
                        return times
                    }
                }
            }
        }
        return nil
    }

    private static func expirations(
        _ tests: [TimeTest], _ issued: Int64?, _ leeways: [Double], at now: Int64
    ) -> [Int64] {
        let lifetimes = Set(tests.compactMap(\.longestLifetime)).sorted().map {
            (issued ?? now) + Int64($0.rounded(.down))
        }
        let past = leeways.map { Int64((Double(now) - $0).rounded(.down)) }
        return [now + usualLifetime] + lifetimes.flatMap { [$0, $0 + 1] } + past + past.map { $0 + 1 }
    }

    private static func signIns(_ tests: [TimeTest], _ later: [Int64], at now: Int64) -> [Int64?] {
        let earliest = tests.flatMap { test in
            tests.compactMap(\.longestAge).map { Int64((Double(now) - $0 - test.leeway).rounded(.up)) }
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
