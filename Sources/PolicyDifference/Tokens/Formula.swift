import TokenVerification

/// What a token must be: what one policy asks for, or does not take, taken apart into tests of single claims.
indirect enum Formula: Hashable {
    case always(Bool)
    case all([Formula])
    case any([Formula])
    case claim(ClaimLocation, ClaimTest, holds: Bool)
    case header(HeaderTest, holds: Bool)
    case times(TimeTest, holds: Bool)
    /// Both claims are the same text.
    case same(ClaimLocation, ClaimLocation, holds: Bool)

    static func claim(_ path: ClaimPath, _ test: ClaimTest) -> Formula {
        .claim(ClaimLocation(path), test, holds: true)
    }

    /// What holds exactly where it does not.
    var negated: Formula {
        switch self {
        case .always(let truth): .always(!truth)
        case .all(let parts): .any(parts.map(\.negated))
        case .any(let options): .all(options.map(\.negated))
        case .claim(let location, let test, let holds): .claim(location, test, holds: !holds)
        case .header(let test, let holds): .header(test, holds: !holds)
        case .times(let test, let holds): .times(test, holds: !holds)
        case .same(let one, let other, let holds): .same(one, other, holds: !holds)
        }
    }

    /// What of a token a formula is about: a claim with all that stands in it, or the header, or the times.
    enum Part: Hashable {
        case claim([UInt8])
        case header
        case times
    }

    /// All that it is about.
    var parts: Set<Part> {
        switch self {
        case .always: []
        case .all(let formulas), .any(let formulas): formulas.reduce(into: []) { $0.formUnion($1.parts) }
        case .claim(let location, _, _): TokenTimes.have(location) ? [.times] : [.claim(location.names.first ?? [])]
        case .header: [.header]
        case .times: [.times]
        case .same(let one, let other, _): [.claim(one.names.first ?? []), .claim(other.names.first ?? [])]
        }
    }

    /// Its parts, all of which must hold.
    var conjuncts: [Formula] {
        switch self {
        case .all(let parts): parts.flatMap(\.conjuncts)
        case .always(true): []
        default: [self]
        }
    }

    /// What does not hold of it where the other holds: what the other asks for too cannot be what fails.
    func negated(knowing other: Formula) -> Formula {
        let known = Set(other.conjuncts)
        return .any(conjuncts.filter { !known.contains($0) }.map(\.negated))
    }
}

/// Where a claim is in a token: the names from the top, by their bytes.
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
