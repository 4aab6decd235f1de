/// Text of the file as Unicode scalars, with line numbers as libyaml counts them.
struct SourceText {
    /// Largest file that is read, in bytes.
    static let largestFile = 16 * 1024 * 1024

    private(set) var scalars: [Unicode.Scalar]
    /// Index in `scalars` of the first scalar of each line.
    private let lineStarts: [Int]

    /// Decodes UTF-8 with or without a byte order mark.
    init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= Self.largestFile else {
            throw Problem(.error, at: .start, message: "the file is larger than 16 MiB")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.error, at: Self.firstInvalid(in: bytes), message: "the file is not UTF-8 text")
        }
        scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        lineStarts = Self.lineStarts(of: scalars)
        if let index = scalars.firstIndex(where: { !Self.isPrintable($0) }) {
            let code = String(scalars[index].value, radix: 16, uppercase: true)
            let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
            let place = position(of: index)
            throw Problem(
                .error, at: place, message: "the character \(name) is not allowed in YAML",
                excerpt: Excerpt(line: line(place.line), column: place.column))
        }
    }

    var text: String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    /// Text of a line without its line break. Empty if there is no such line.
    func line(_ number: Int) -> String {
        guard lineStarts.indices.contains(number - 1) else { return "" }
        let start = lineStarts[number - 1]
        let end = lineStarts.indices.contains(number) ? lineStarts[number] : scalars.count
        var line = ""
        line.unicodeScalars.append(contentsOf: scalars[start..<end].filter { !Self.isLineBreak($0) })
        return line
    }

    mutating func replace(at index: Int, with scalar: Unicode.Scalar) {
        guard scalars.indices.contains(index) else { return }
        scalars[index] = scalar
    }

    private func position(of index: Int) -> Position {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= index { low = middle } else { high = middle }
        }
        return Position(line: low + 1, column: index - lineStarts[low] + 1)
    }

    private static func lineStarts(of scalars: [Unicode.Scalar]) -> [Int] {
        var starts = [0]
        for index in scalars.indices where isLineBreak(scalars[index]) {
            if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { continue }
            starts.append(index + 1)
        }
        return starts
    }

    /// True for line breaks of YAML 1.1 §5.4, which libyaml follows.
    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
    }

    /// True for printable characters of YAML 1.2 §5.1, except for the byte order mark.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...0x10_FFFF:
            true
        default: false
        }
    }

    private static func firstInvalid(in bytes: [UInt8]) -> Position {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var read: [Unicode.Scalar] = []
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { read.append(scalar) }
        if read.first == "\u{FEFF}" { read.removeFirst() }
        let starts = lineStarts(of: read)
        return Position(line: starts.count, column: read.count - (starts.last ?? 0) + 1)
    }
}

extension Problem: Error {}
