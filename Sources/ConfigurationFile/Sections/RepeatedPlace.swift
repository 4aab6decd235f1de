import AccessControl
import NetworkNames

/// Warns of paths that repeat the path of the resource's place. That path is already put before them.
struct RepeatedPlace {
    /// Path of a place, with the spellings that a rule may repeat, each as folded segments.
    private struct Place {
        let path: String
        let spellings: [[[UInt8]]]
    }

    private let places: [Place]

    /// Prepares the check.
    ///
    /// - Returns: nil if a place is a whole host, because then there is no path that could be repeated.
    init?(_ places: [WrittenPlace]) {
        guard places.allSatisfy({ $0.pattern.segmentCount > 0 }) else { return nil }
        self.places = places.map { place in
            let written = place.path.hasSuffix("/") ? place.path.dropLast() : place.path
            let spellings = [written, place.pattern.path[...]].map { Self.segments($0).map(Self.folded) }
            return Place(path: place.pattern.path, spellings: spellings)
        }
    }

    /// Warns if the path of a member repeats the path of a place.
    ///
    /// - Parameters:
    ///   - member: member whose key has the path, possibly after methods.
    ///   - subject: plural subject of the warning, such as "rules are".
    func judge(_ member: Value.Member, _ subject: String) {
        for place in places {
            guard let rest = Self.rest(of: member.path, behind: place) else { continue }
            let methods = member.key[..<member.path.startIndex]
            return member.warnKey(
                "\(subject) below the place: this is `\(place.path)\(member.path)`",
                hint:
                    "write `\(methods)\(rest.isEmpty ? "/" : rest)`, or `\(methods)\(Self.escaped(member.path))` if that is meant"
            )
        }
    }

    /// Rest of the path after a repetition of the place's path or of its end. The place may be in its own or in
    /// canonical spelling, and in any letter case. Nil if nothing is repeated. Another spelling is taken as intended.
    private static func rest(of path: Substring, behind place: Place) -> Substring? {
        let segments = segments(path)
        for repeated in place.spellings {
            // Longest end first. Whole segments only: "/v1" does not repeat in "/v10".
            for end in repeated.indices.map({ repeated[$0...] }) where segments.count >= end.count {
                guard zip(segments, end).allSatisfy({ folded($0) == $1 }) else { continue }
                return segments.dropFirst(end.count).first.map { path[path.utf8.index(before: $0.startIndex)...] } ?? ""
            }
        }
        return nil
    }

    /// Segments of a path that begins with a slash.
    private static func segments(_ path: Substring) -> [Substring] {
        // Split over bytes: a combining character must not hide the slash before it.
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
    }

    /// Segment in lower case, with bytes above ASCII as escapes. Existing escapes stay unchanged.
    private static func folded(_ segment: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var escape = 0
        for byte in segment.utf8 {
            if byte == UInt8(ascii: "%") { escape = 3 }
            guard byte < 0x80 else {
                bytes += [UInt8(ascii: "%"), ASCII.upperCaseDigit(byte >> 4), ASCII.upperCaseDigit(byte & 0xF)]
                continue
            }
            bytes.append(escape > 0 ? byte : ASCII.lowercased(byte))
            escape = max(0, escape - 1)
        }
        return bytes
    }

    /// Path whose first character is escaped. If it is an escape already, its digits are put into lower case.
    private static func escaped(_ path: Substring) -> String {
        let name = path.dropFirst()
        guard let first = name.first, first != "%" else { return path.prefix(4).lowercased() + path.dropFirst(4) }
        let escape = first.utf8.map { "%" + String($0, radix: 16, uppercase: first.isASCII) }.joined()
        return "/\(escape)\(name.dropFirst())"
    }
}
