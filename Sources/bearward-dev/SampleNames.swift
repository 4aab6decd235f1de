/// Names of an issuer's samples, as `PROVIDER/SAMPLE` or `SAMPLE`.
struct SampleNames {
    /// Maximum number of suggested names.
    private static let mostNear = 6

    let ids: [String]

    func has(_ name: String) -> Bool {
        ids.contains { id in id == name || Self.lastPart(of: id) == name }
    }

    /// Suggestions for a name: names that start with it, otherwise names that contain it, otherwise any.
    func near(_ name: String) -> [String] {
        let word = Self.lastPart(of: name)
        let beginning = ids.filter { id in Self.lastPart(of: id).hasPrefix(word) }
        let containing = ids.filter { id in id.contains(word) }
        let near = beginning.isEmpty ? (containing.isEmpty ? ids : containing) : beginning
        return Array(near.prefix(Self.mostNear))
    }

    /// Part of a name after the provider's.
    private static func lastPart(of id: String) -> Substring {
        id.firstIndex(of: "/").map { slash in id[id.index(after: slash)...] } ?? id[...]
    }
}
