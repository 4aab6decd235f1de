import TokenVerification

/// Analysis of a test for `TokenSearch`.
extension TokenTest {
    /// Part of a token that a test reads: a top-level claim with all its members, the header, or the times.
    enum Part: Hashable {
        case claim([UInt8])
        case header
        case times
    }

    /// Parts of the token that the test reads.
    var parts: Set<Part> {
        switch self {
        case .always: []
        case .all(let tests), .any(let tests): tests.reduce(into: []) { $0.formUnion($1.parts) }
        case .claim(let path, _, _): Self.parts([path])
        case .first(let paths, _): Self.parts(paths)
        case .header: [.header]
        case .times: [.times]
        case .same(let one, let other, _): Self.parts([one, other])
        }
    }

    private static func parts(_ paths: [ClaimPath]) -> Set<Part> {
        Set(paths.map(ClaimLocation.init).map { LeastTimes.have($0) ? .times : .claim($0.names.first ?? []) })
    }

    /// The tests that must all hold for this test to hold.
    var conjuncts: [TokenTest] {
        switch self {
        case .all(let parts): parts.flatMap(\.conjuncts)
        case .always(true): []
        default: [self]
        }
    }

    /// Test for a token that fails this test and meets the other.
    ///
    /// Parts that the other test also requires are left out, since they cannot fail.
    func negated(knowing other: TokenTest) -> TokenTest {
        let known = Set(other.conjuncts)
        return .any(conjuncts.filter { !known.contains($0) }.map(\.negated))
    }
}

/// Path of a claim in the claims set: the member names from the top, as bytes.
struct ClaimLocation: Hashable, Comparable {
    let names: [[UInt8]]

    init(_ path: ClaimPath) {
        names = path.names.map { Array($0.utf8) }
    }

    init(member: String) {
        names = [Array(member.utf8)]
    }

    /// True if a level stands for every element of an array (``ClaimPath/isMultiple``).
    var isMultiple: Bool { names.contains(ClaimTree.everyElement) }

    /// The member names as strings.
    var texts: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

    static func < (left: ClaimLocation, right: ClaimLocation) -> Bool {
        left.names.lexicographicallyPrecedes(right.names) { $0.lexicographicallyPrecedes($1) }
    }
}
