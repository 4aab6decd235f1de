/// The file's text as it is given to the YAML parser: some characters are replaced by marks, one for one, and put back afterwards.
///
/// Two things that the parser does are better done here. It resolves aliases, which hides where they stand and lets a few lines grow
/// without bound; so every `*` is replaced, and aliases come out as scalars that begin with `aliasMark`. And it gives up at the first
/// duplicate key; so one character of a key that is repeated is replaced, and the next attempt gets further.
struct MaskedText {
    let source: SourceText
    private(set) var masked: SourceText
    let aliasMark: Unicode.Scalar
    private var freeMarks: [Unicode.Scalar]
    private var originals: [Unicode.Scalar: Unicode.Scalar] = [:]

    /// Keys that can be masked; a file with more duplicates has been told enough.
    static let mostKeys = 50

    init(_ source: SourceText) throws(Problem) {
        self.source = source
        let used = Set(source.scalars.lazy.filter { Self.privateUse.contains($0.value) }.map(\.value))
        freeMarks = Self.privateUse.lazy.filter { !used.contains($0) }.prefix(Self.mostKeys + 1).compactMap(Unicode.Scalar.init)
        guard let mark = freeMarks.popLast() else {
            throw Problem(.error, at: .start, message: "the file uses every private-use character of Unicode")
        }
        aliasMark = mark
        originals[mark] = "*"
        masked = source
        for index in source.scalars.indices where source.scalars[index] == "*" { masked.replace(at: index, with: mark) }
    }

    /// The U+E000 block, which YAML allows and nobody writes configurations in.
    private static let privateUse: ClosedRange<UInt32> = 0xE000...0xF8FF

    /// What the file said where the parser read a mark.
    func restored(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { Self.privateUse.contains($0.value) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(originals[scalar] ?? scalar) }
        return result
    }

    /// Makes the key at a position unlike every other.
    ///
    /// - Returns: false if it has no character that can be replaced, or too many were.
    mutating func maskKey(at position: Position) -> Bool {
        guard let start = masked.index(of: position), let index = indexToMask(from: start), let mark = freeMarks.popLast() else {
            return false
        }
        originals[mark] = originals[masked.scalars[index]] ?? masked.scalars[index]
        masked.replace(at: index, with: mark)
        return true
    }

    private func indexToMask(from start: Int) -> Int? {
        var index = start
        while let scalar = scalar(at: index), scalar == "&" || scalar == "!" {
            while let scalar = self.scalar(at: index), !Self.isBlank(scalar) { index += 1 }
            while let scalar = self.scalar(at: index), Self.isBlank(scalar) { index += 1 }
        }
        switch scalar(at: index) {
        case "'"?: return scalar(at: index + 1) == "'" ? nil : index + 1
        case "\""?: return indexInDoubleQuotes(from: index + 1)
        case "["?, "{"?, ":"?, "?"?, nil: return nil
        case let first?: return Self.isBlank(first) ? nil : index
        }
    }

    /// The first character that is not part of an escape.
    private func indexInDoubleQuotes(from start: Int) -> Int? {
        var index = start
        while scalar(at: index) == "\\" {
            switch scalar(at: index + 1) {
            case "x"?: index += 4
            case "u"?: index += 6
            case "U"?: index += 10
            default: index += 2
            }
        }
        guard let scalar = scalar(at: index), scalar != "\"", !Self.isBlank(scalar) else { return nil }
        return index
    }

    private func scalar(at index: Int) -> Unicode.Scalar? {
        masked.scalars.indices.contains(index) ? masked.scalars[index] : nil
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        [" ", "\t", "\n", "\r"].contains(scalar)
    }
}
