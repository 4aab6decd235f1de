/// Another reader: decodes without judging, takes a backslash for a slash, cuts path parameters, merges slashes, resolves dots.
enum NaiveReader {
    static func decode(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

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
