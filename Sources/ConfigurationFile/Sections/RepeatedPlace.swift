import AccessControl

/// Warns of paths that begin with the place's own path, which stands before them already.
struct RepeatedPlace {
    private let places: [WrittenPlace]

    /// - Returns: nil if a place is a whole host, below which such a path is as it is written.
    init?(_ places: [WrittenPlace]) {
        guard places.allSatisfy({ $0.pattern.segmentCount > 0 }) else { return nil }
        self.places = places
    }

    /// - Parameters:
    ///   - member: its key has the path, perhaps behind methods.
    ///   - subject: such paths in general: "rules are".
    func judge(_ member: Value.Member, _ subject: String) {
        for place in places {
            guard let rest = Self.rest(of: member.path, behind: place) else { continue }
            let methods = member.key[..<member.path.startIndex]
            return member.warnKey(
                "\(subject) below the place: this is `\(place.pattern.path)\(member.path)`",
                hint: "write `\(methods)\(rest.isEmpty ? "/" : rest)`, or `\(methods)\(Self.escaped(place))\(rest)` if that is meant")
        }
    }

    /// The path behind the place's, in the place's own spelling or the canonical one; whoever writes it otherwise means it.
    private static func rest(of path: Substring, behind place: WrittenPlace) -> Substring? {
        let written = place.path.hasSuffix("/") ? place.path.dropLast() : place.path
        for spelling in [written, place.pattern.path[...]] where path.utf8.starts(with: spelling.utf8) {
            let rest = Substring(path.utf8.dropFirst(spelling.utf8.count))
            // Whole segments only: "/v1" does not repeat in "/v10".
            if rest.isEmpty || rest.utf8.first == UInt8(ascii: "/") { return rest }
        }
        return nil
    }

    /// The place's path with its first character as an escape, or with the digits of that escape in lower case.
    private static func escaped(_ place: WrittenPlace) -> String {
        let path = place.pattern.path
        guard let first = path.utf8.dropFirst().first, first != UInt8(ascii: "%") else {
            return path.prefix(4).lowercased() + path.dropFirst(4)
        }
        return "/%\(String(first, radix: 16, uppercase: true))\(path.dropFirst(2))"
    }
}
