/// The samples of an issuer by name, `PROVIDER/SAMPLE` or `SAMPLE` alone.
struct SampleNames {
    /// More than these are no help.
    private static let mostNear = 6

    let ids: [String]

    func has(_ name: String) -> Bool {
        ids.contains { id in id == name || Self.lastPart(of: id) == name }
    }

    /// Names that begin with the text, else those that contain it, else the first of all.
    func near(_ name: String) -> [String] {
        let word = Self.lastPart(of: name)
        let beginning = ids.filter { id in Self.lastPart(of: id).hasPrefix(word) }
        let containing = ids.filter { id in id.contains(word) }
        let near = beginning.isEmpty ? (containing.isEmpty ? ids : containing) : beginning
        return Array(near.prefix(Self.mostNear))
    }

    /// Part after the provider's name.
    private static func lastPart(of id: String) -> Substring {
        id.firstIndex(of: "/").map { slash in id[id.index(after: slash)...] } ?? id[...]
    }
}
