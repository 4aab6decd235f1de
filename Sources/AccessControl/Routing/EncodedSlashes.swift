/// What becomes of a path with an encoded slash (`%2F`).
public enum EncodedSlashes: String, Sendable, Hashable, CaseIterable {
    /// The path has no canonical form.
    case refuse
    /// It is a part of its segment.
    case keep

    /// The one that lets the most through: a path is read by it before its resource is known. The cases stand in that order.
    public static func mostLenient(_ choices: [EncodedSlashes]) -> EncodedSlashes {
        allCases.last(where: choices.contains) ?? .refuse
    }
}

extension RequestPath {
    /// The path as a reader has it who decodes `%2F` before splitting the path into segments.
    ///
    /// That reading may have no canonical form: `a%2F..%2Fb` has a dot segment in it, and `a%2F%2Fb` an empty one.
    public func decodingSlashes() throws(PathRejection) -> RequestPath {
        var text: [UInt8] = []
        text.reserveCapacity(canonical.count)
        var rest = canonical[...]
        while let byte = rest.first {
            // The canonical form holds whole escapes only, with upper-case digits; "%252F" is refused in every path.
            let isSlash = rest.starts(with: Self.encodedSlash)
            text.append(isSlash ? UInt8(ascii: "/") : byte)
            rest = rest.dropFirst(isSlash ? Self.encodedSlash.count : 1)
        }
        var path = RequestPath()
        try path.canonicalize(text.span)
        return path
    }

    private static let encodedSlash = Array("%2F".utf8)
}
