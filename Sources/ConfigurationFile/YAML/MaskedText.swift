/// Text of the file as the YAML parser gets it. Every `*` is replaced by a mark, one for one, and restored afterwards.
///
/// The parser stops at an alias whose name YAML does not allow, as in `*/*`. So aliases come out of it as scalars that
/// begin with `aliasMark`. Their problems are then reported in our own words, along with all others of the file.
struct MaskedText {
    let source: SourceText
    let masked: SourceText
    let aliasMark: Unicode.Scalar

    init(_ source: SourceText) throws(Problem) {
        let used = Set(source.scalars.lazy.filter { Self.privateUse.contains($0.value) }.map(\.value))
        guard let mark = Self.privateUse.last(where: { !used.contains($0) }).flatMap(Unicode.Scalar.init) else {
            throw Problem(.error, at: .start, message: "the file uses every private-use character of Unicode")
        }
        var masked = source
        for index in source.scalars.indices where source.scalars[index] == "*" { masked.replace(at: index, with: mark) }
        (self.source, self.masked, aliasMark) = (source, masked, mark)
    }

    /// Block of private-use characters from U+E000. YAML allows them, and configurations do not use them.
    private static let privateUse: ClosedRange<UInt32> = 0xE000...0xF8FF

    /// Original text for a text from the parser: each mark becomes `*` again.
    func restored(_ text: String) -> String {
        guard text.unicodeScalars.contains(aliasMark) else { return text }
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(scalar == aliasMark ? "*" : scalar) }
        return result
    }
}
