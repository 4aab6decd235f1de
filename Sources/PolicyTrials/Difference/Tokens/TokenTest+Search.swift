import TokenVerification

/// Parts of a test, for a search.
extension TokenTest {
    /// Part of a token that a test is about: a claim with all that stands in it, or the header, or the times.
    enum Part: Hashable {
        case claim([UInt8])
        case header
        case times
    }

    /// All that it is about.
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

    /// Its parts, all of which must hold.
    var conjuncts: [TokenTest] {
        switch self {
        case .all(let parts): parts.flatMap(\.conjuncts)
        case .always(true): []
        default: [self]
        }
    }

    /// Test for a token that fails it and meets the other: nothing that the other asks for too can fail.
    func negated(knowing other: TokenTest) -> TokenTest {
        let known = Set(other.conjuncts)
        return .any(conjuncts.filter { !known.contains($0) }.map(\.negated))
    }
}

/// Position of a claim in a token: the names from the top, by their bytes.
struct ClaimLocation: Hashable, Comparable {
    let names: [[UInt8]]

    init(_ path: ClaimPath) {
        names = path.names.map { Array($0.utf8) }
    }

    init(member: String) {
        names = [Array(member.utf8)]
    }

    /// The texts of the names.
    var texts: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

    static func < (left: ClaimLocation, right: ClaimLocation) -> Bool {
        left.names.lexicographicallyPrecedes(right.names) { $0.lexicographicallyPrecedes($1) }
    }
}
