import JOSE
import StrictJSON

/// Test of a token, as a value: tests of its claims, its header and its times, and all or any of them.
public enum TokenTest: Sendable, Hashable {
    case always(Bool)
    case all([TokenTest])
    case any([TokenTest])
    case claim(ClaimPath, ClaimTest, holds: Bool)
    /// The first of these claims that is there is so; one of them must be there.
    case first([ClaimPath], ClaimTest)
    case header(HeaderTest, holds: Bool)
    case times(TimeTest, holds: Bool)
    /// Both claims are the same text.
    case same(ClaimPath, ClaimPath, holds: Bool)

    public static func claim(_ path: ClaimPath, _ test: ClaimTest) -> TokenTest { .claim(path, test, holds: true) }

    /// True if a token with these claims is so.
    ///
    /// - Parameters:
    ///   - header: nil if it is not at hand; then no test of a header holds.
    ///   - now: the time by which its times are judged.
    public func holds(for claims: ClaimsSet, header: ProtectedHeader? = nil, at now: NumericDate = .latest) -> Bool {
        switch self {
        case .always(let truth): return truth
        case .all(let parts): return parts.allSatisfy { $0.holds(for: claims, header: header, at: now) }
        case .any(let options): return options.contains { $0.holds(for: claims, header: header, at: now) }
        case .claim(let path, .missing, let holds): return path.isAbsent(in: claims.json) == holds
        case .claim(let path, let test, let holds): return test.holds(for: path.value(in: claims.json)) == holds
        case .first(let paths, let test): return claims.first(of: paths).map(test.holds) ?? false
        case .header(let test, let holds): return header.map { test.holds(for: $0) == holds } ?? false
        case .times(let test, let holds): return test.holds(for: TokenTimes(claims), at: now) == holds
        case .same(let one, let other, let holds):
            guard let text = one.value(in: claims.json)?.string else { return !holds }
            return (other.value(in: claims.json)?.isString(equalTo: text) ?? false) == holds
        }
    }

    /// The test that holds exactly where this one does not.
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

    /// ``first(_:_:)`` in tests of single claims, and of single words.
    public static func each(of paths: [ClaimPath], _ test: ClaimTest) -> TokenTest {
        if case .words(let words, let prefix) = test {
            let tests = words.map { each(of: paths, .word(.string(prefix + $0.description))) }
            return tests.count == 1 ? tests[0] : .any(tests)
        }
        return .any(
            paths.indices.map { index in
                // The test first: a token that is not to meet it needs no claim then.
                .all([.claim(paths[index], test)] + paths.prefix(index).map { .claim($0, .absent) })
            })
    }

    /// The claims that it is about.
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

// MARK: In the words of issuers' rules

extension TokenTest {
    /// At least one of these has content: a string that is not blank, or an array with such a string.
    public static func some(_ paths: [ClaimPath]) -> TokenTest { .any(paths.map { .claim($0, .content) }) }

    /// The claim, or an element of it, has one of these values.
    public static func oneOf(_ path: ClaimPath, _ values: [ClaimScalar]) -> TokenTest {
        .claim(path, .held(ClaimChoice(values: values)))
    }

    /// The claim itself has one of these values.
    public static func exactly(_ path: ClaimPath, _ values: [ClaimScalar]) -> TokenTest { .claim(path, .exact(values)) }

    /// None of these is there, nor anything that could be meant by them.
    public static func missing(_ paths: [ClaimPath]) -> TokenTest { .all(paths.map { .claim($0, .missing) }) }

    /// None of these is there.
    public static func absent(_ paths: [ClaimPath]) -> TokenTest { .all(paths.map { .claim($0, .absent) }) }

    /// The claim is absent, or has none of these values.
    public static func noneOf(_ path: ClaimPath, _ values: [ClaimScalar]) -> TokenTest { oneOf(path, values).negated }

    /// The claim is a path below this one, as ``ClaimTest/below(_:)`` says.
    public static func pathBelow(_ path: ClaimPath, _ start: String) -> TokenTest { .claim(path, .below(start)) }

    /// The two are not the same string.
    public static func different(_ one: ClaimPath, _ other: ClaimPath) -> TokenTest { .same(one, other, holds: false) }

    /// The claim is not a string that ends so.
    public static func notEnding(_ path: ClaimPath, _ ending: String) -> TokenTest {
        .claim(path, .ending(ending), holds: false)
    }

    /// Some role is granted in one of these organisations, or another claim names one of them: an object of roles,
    /// each an object whose members are named for organisations.
    public static func granted(
        roles: ClaimPath, or other: ClaimPath, in organizations: [String]
    ) -> TokenTest {
        .any([
            .claim(other, .exact(organizations.map { .string($0) })),
            .claim(roles, .someRole(grantedIn: organizations)),
        ])
    }
}
