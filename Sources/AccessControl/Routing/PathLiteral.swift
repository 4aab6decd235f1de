/// Parser for paths and segments in the configuration.
///
/// They obey the rules of `RequestPath`, except that characters which may be an attempt at a pattern must be escaped.
enum PathLiteral {
    /// The decoded bytes of one segment.
    static func segment(_ text: Substring) throws(PathRejection) -> [UInt8] {
        let path = try canonicalPath("/" + text)
        guard path.segmentCount == 1, let segment = path.segment(at: 0) else { throw .emptySegment }
        return [UInt8](segment)
    }

    /// The decoded bytes of text that stands in a segment beside a wildcard. Alone it may be `.` or empty.
    static func part(_ text: Substring) throws(PathRejection) -> [UInt8] {
        let path = try canonicalPath("/x" + text + "x")
        guard path.segmentCount == 1, let segment = path.segment(at: 0) else { throw .emptySegment }
        return [UInt8](segment.dropFirst().dropLast())
    }

    /// The decoded bytes of all segments of a path. A trailing slash is ignored.
    static func segments(_ text: Substring) throws(PathRejection) -> [[UInt8]] {
        let path = try canonicalPath(String(text))
        return (0..<path.segmentCount).compactMap { path.segment(at: $0).map([UInt8].init) }
    }

    /// A segment as it can be written in the file, to name a rule. Characters that a pattern would take for wildcards
    /// are escaped.
    static func description(of segment: [UInt8]) -> String {
        var bytes: [UInt8] = []
        for byte in segment {
            if byte != UInt8(ascii: "*"),
                byte == UInt8(ascii: ";") || PathCharacters.isPlain(byte) || PathCharacters.isBracket(byte)
            {
                bytes.append(byte)
            } else {
                PathCharacters.appendEscape(of: byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func canonicalPath(_ text: String) throws(PathRejection) -> RequestPath {
        guard !text.utf8.contains(where: PathCharacters.mayBePattern) else { throw .forbiddenCharacter }
        var path = RequestPath()
        try path.canonicalize(Array(text.utf8).span)
        return path
    }
}
