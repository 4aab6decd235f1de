import JOSE
import StrictJSON

/// Test of a token, as a value. Combines tests of its claims, header and times with "all" and "any".
public enum TokenTest: Sendable, Hashable {
    case always(Bool)
    case all([TokenTest])
    case any([TokenTest])
    case claim(ClaimPath, ClaimTest, holds: Bool)
    /// The first of these claims that is present passes the test. At least one must be present.
    case first([ClaimPath], ClaimTest)
    case header(HeaderTest, holds: Bool)
    case times(TimeTest, holds: Bool)
    /// Both claims are the same string.
    case same(ClaimPath, ClaimPath, holds: Bool)

    public static func claim(_ path: ClaimPath, _ test: ClaimTest) -> TokenTest { .claim(path, test, holds: true) }

    /// True if a token with these claims passes the test.
    ///
    /// - Parameters:
    ///   - header: the protected header. Nil if it is not available; then every test of the header fails, also a
    ///     negated one.
    ///   - now: the time with which the token's times are compared.
    public func holds(for claims: ClaimsSet, header: ProtectedHeader? = nil, at now: NumericDate = .latest) -> Bool {
        switch self {
        case .always(let truth): return truth
        case .all(let parts): return parts.allSatisfy { $0.holds(for: claims, header: header, at: now) }
        case .any(let options): return options.contains { $0.holds(for: claims, header: header, at: now) }
        case .claim(let path, let test, let holds): return path.passes(test, in: claims.json) == holds
        case .first(let paths, let test): return claims.first(of: paths).map(test.holds) ?? false
        case .header(let test, let holds): return header.map { test.holds(for: $0) == holds } ?? false
        case .times(let test, let holds): return test.holds(for: TokenTimes(claims), at: now) == holds
        case .same(let one, let other, let holds):
            guard let text = one.value(in: claims.json)?.string else { return !holds }
            return (other.value(in: claims.json)?.isString(equalTo: text) ?? false) == holds
        }
    }

    /// The test that holds exactly if this one does not.
    public var negated: TokenTest {
        switch self {
        case .always(let truth): .always(!truth)
        case .all(let parts): .any(parts.map(\.negated))
        case .any(let options): .all(options.map(\.negated))
        case .claim(let path, let test, let holds): .claim(path, test, holds: !holds)
        case .first(let paths, let test): Self.each(of: paths, test).negated
        case .header(let test, let holds): .header(test, holds: !holds)
        case .times(let test, let holds): .times(test, holds: !holds)
        case .same(let one, let other, let holds): .same(one, other, holds: !holds)
        }
    }

    /// Expands ``first(_:_:)`` into tests of single claims and single words.
    public static func each(of paths: [ClaimPath], _ test: ClaimTest) -> TokenTest {
        if case .words(let words, let prefix, let separator) = test {
            let tests = words.map { each(of: paths, .word(.string(prefix + $0.description), separator)) }
            return tests.count == 1 ? tests[0] : .any(tests)
        }
        return .any(
            paths.indices.map { index in
                // The test stands first, so that a token made to fail it needs no claim.
                .all([.claim(paths[index], test)] + paths.prefix(index).map { .claim($0, .absent) })
            })
    }

    /// Paths of the claims that the test reads.
    public var paths: [ClaimPath] {
        switch self {
        case .always, .header, .times: []
        case .all(let tests), .any(let tests): tests.flatMap(\.paths)
        case .claim(let path, _, _): [path]
        case .first(let paths, _): paths
        case .same(let one, let other, _): [one, other]
        }
    }
}

// MARK: Tests named as in issuers' rules

extension TokenTest {
    /// At least one of these claims has content: a string that is not blank, or an array with a string that is not.
    public static func some(_ paths: [ClaimPath]) -> TokenTest { .any(paths.map { .claim($0, .content) }) }

    /// The claim, or an element of it, has one of these values.
    public static func oneOf(_ path: ClaimPath, _ values: [ClaimScalar]) -> TokenTest {
        .claim(path, .held(ClaimChoice(values: values)))
    }

    /// The claim itself has one of these values.
    public static func exactly(_ path: ClaimPath, _ values: [ClaimScalar]) -> TokenTest { .claim(path, .exact(values)) }

    /// All of these claims are ``ClaimTest/missing``: absent, and nothing is present that their paths could mean.
    public static func missing(_ paths: [ClaimPath]) -> TokenTest { .all(paths.map { .claim($0, .missing) }) }

    /// All of these claims are absent.
    public static func absent(_ paths: [ClaimPath]) -> TokenTest { .all(paths.map { .claim($0, .absent) }) }

    /// The claim is absent, or has none of these values.
    public static func noneOf(_ path: ClaimPath, _ values: [ClaimScalar]) -> TokenTest { oneOf(path, values).negated }

    /// The claim is a path below `start`, as ``ClaimTest/below(_:)`` describes.
    public static func pathBelow(_ path: ClaimPath, _ start: String) -> TokenTest { .claim(path, .below(start)) }

    /// The two claims are not the same string.
    public static func different(_ one: ClaimPath, _ other: ClaimPath) -> TokenTest { .same(one, other, holds: false) }

    /// The claim is not a string with this suffix.
    public static func notEnding(_ path: ClaimPath, _ ending: String) -> TokenTest {
        .claim(path, .ending(ending), holds: false)
    }

    /// A role is granted in one of these organizations, or the claim `other` names one of them.
    ///
    /// `roles` leads to an object of roles. Each role is an object whose members are named after organizations.
    public static func granted(
        roles: ClaimPath, or other: ClaimPath, in organizations: [String]
    ) -> TokenTest {
        .any([
            .claim(other, .exact(organizations.map { .string($0) })),
            .claim(roles, .someRole(grantedIn: organizations)),
        ])
    }
}
