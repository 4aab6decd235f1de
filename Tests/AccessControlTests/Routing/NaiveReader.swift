/// Model of a lax server: it takes a backslash for a slash, cuts path parameters, merges slashes and resolves dots.
enum NaiveReader {
    static func resolvedSegments(_ bytes: [UInt8]) -> [String] {
        var segments: [String] = []
        for piece in bytes.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
            let name = String(decoding: piece.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            switch name {
            case "", ".": continue
            case "..": _ = segments.popLast()
            default: segments.append(String(decoding: piece, as: UTF8.self))
            }
        }
        return segments
    }
}
