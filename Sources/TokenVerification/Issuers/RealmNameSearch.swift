/// Searches names of realms that several patterns tell apart.
///
/// Walks all names at once, shortest first. Names that every pattern and every further text of the name treat alike are
/// walked once.
struct RealmNameSearch {
    private let patterns: [ClaimPattern]
    private let avoided: Set<[UInt8]>
    /// Every beginning of an avoided name.
    private let avoidedBeginnings: Set<[UInt8]>
    /// Bytes that the patterns and the avoided names distinguish: each that one of them has, and one other.
    private let alphabet: [UInt8]

    /// Meaning of a beginning for all names that begin with it.
    private struct Reached: Hashable {
        /// Nil for a pattern that no name with this beginning matches.
        var progress: [ClaimPattern.Progress?]
        /// The beginning itself while an avoided name begins with it. Nil otherwise.
        var avoidedBeginning: [UInt8]?
    }

    /// - Parameter avoided: names that are not found.
    init(_ patterns: [ClaimPattern], avoiding avoided: Set<[UInt8]> = []) {
        self.patterns = patterns
        self.avoided = avoided
        avoidedBeginnings = avoided.reduce(into: [[]]) { beginnings, name in
            for length in name.indices { beginnings.insert(Array(name[...length])) }
        }
        var bytes = Set(avoided.joined())
        for case .byte(let byte) in patterns.flatMap(\.elements) { bytes.insert(byte) }
        let other = RealmPattern.nameBytes.first { !bytes.contains($0) }
        alphabet = [other].compactMap(\.self) + RealmPattern.nameBytes.filter(bytes.contains)
    }

    /// A shortest name that matches the wanted patterns. Nil if there is none.
    ///
    /// - Parameter isWanted: is given for each pattern whether it matches.
    func first(where isWanted: ([Bool]) -> Bool) -> String? {
        var found: String?
        walk { name, matched in
            if isWanted(matched) { found = name }
            return found == nil
        }
        return found
    }

    /// A shortest name for each set of patterns that some name matches, the empty one excepted.
    var names: [String] {
        var names: [[Bool]: String] = [:]
        var order: [String] = []
        walk { name, matched in
            if matched.contains(true), names[matched] == nil {
                names[matched] = name
                order.append(name)
            }
            return true
        }
        return order
    }

    /// Calls the body with names and the patterns that match them, shortest names first, until it returns false.
    private func walk(_ body: (String, [Bool]) -> Bool) {
        let start = Reached(progress: patterns.map { $0.fits ? $0.start : nil }, avoidedBeginning: [])
        var seen: Set<Reached> = []
        var beginnings: [(bytes: [UInt8], reached: Reached)] = [([], start)]
        for _ in 0..<RealmPattern.longestName {
            var longer: [(bytes: [UInt8], reached: Reached)] = []
            for beginning in beginnings {
                for byte in alphabet where !beginning.bytes.isEmpty || RealmPattern.isLetterOrDigit(byte) {
                    let bytes = beginning.bytes + [byte]
                    let reached = advanced(beginning.reached, over: byte)
                    guard reached.progress.contains(where: { $0 != nil }), seen.insert(reached).inserted else {
                        continue
                    }
                    longer.append((bytes, reached))
                    guard !avoided.contains(bytes) else { continue }
                    let matched = reached.progress.map { $0?.isMatched ?? false }
                    guard body(String(decoding: bytes, as: UTF8.self), matched) else { return }
                }
            }
            beginnings = longer
        }
    }

    private func advanced(_ reached: Reached, over byte: UInt8) -> Reached {
        let progress = zip(patterns, reached.progress).map { pattern, progress in
            progress.flatMap { pattern.advanced($0, over: byte) }
        }
        let beginning = reached.avoidedBeginning.map { $0 + [byte] }
        return Reached(
            progress: progress, avoidedBeginning: beginning.flatMap { avoidedBeginnings.contains($0) ? $0 : nil })
    }
}

extension ClaimPattern {
    /// True if the pattern is not longer than a name can be. Each element matches at least one byte.
    fileprivate var fits: Bool { elements.count <= RealmPattern.longestName }
}
