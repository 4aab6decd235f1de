/// The file's text as it is given to the YAML parser: every `*` is replaced by a mark, one for one, and put back
/// afterwards.
///
/// The parser gives up at an alias whose name YAML does not allow, as in `*/*`. So aliases come out as scalars that
/// begin with `aliasMark`, and what is wrong with them is told in words of our own, beside everything else in the file.
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

    /// The U+E000 block, which YAML allows and nobody writes configurations in.
    private static let privateUse: ClosedRange<UInt32> = 0xE000...0xF8FF

    /// What the file said where the parser read a mark.
    func restored(_ text: String) -> String {
        guard text.unicodeScalars.contains(aliasMark) else { return text }
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(scalar == aliasMark ? "*" : scalar) }
        return result
    }
}
