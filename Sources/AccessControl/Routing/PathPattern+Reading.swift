extension PathPattern.Segment {
    /// Reads one segment, without its slashes.
    init(_ piece: Substring) throws(PathPatternRejection) {
        guard piece != ".*" else { throw .expression }
        let bytes = piece.utf8
        guard let start = bytes.firstIndex(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "{") }) else {
            self = .literal(try Self.literal(piece))
            return
        }
        let isNamed = bytes[start] == UInt8(ascii: "{")
        let end = try isNamed ? Self.endOfName(in: piece, from: start) : bytes.index(after: start)
        let name = isNamed ? String(Substring(bytes[start..<end].dropFirst().dropLast())) : nil
        let (before, after) = (piece[..<start], piece[end...])
        guard isNamed || after.utf8.first != UInt8(ascii: "*") else {
            guard piece != "**" else { throw .severalDoubleWildcards }
            throw .doubleWildcardInSegment(String(piece))
        }
        guard !after.utf8.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "{") }) else {
            throw .severalWildcardsInSegment(String(piece))
        }
        guard !isNamed || before.utf8.last != UInt8(ascii: "$") else { throw .variableInSegment(String(piece)) }
        guard before.isEmpty, after.isEmpty else {
            let (prefix, suffix) = (try Self.part(before, piece), try Self.part(after, piece))
            self = .partial(PartialSegment(prefix: prefix, suffix: suffix, name: name))
            return
        }
        self = name.map { Self.parameter($0) } ?? .wildcard
    }

    /// The index after the `}` of the name that begins at `start`.
    private static func endOfName(in piece: Substring, from start: Substring.Index) throws(PathPatternRejection)
        -> Substring.Index
    {
        let braced = piece.utf8[start...]
        guard let close = braced.firstIndex(of: UInt8(ascii: "}")),
            let last = braced.lastIndex(of: UInt8(ascii: "}"))
        else { throw .braceInSegment(String(piece)) }
        // Bytes are dropped, not characters: a combining character must not hide behind the brace.
        guard isName(Substring(braced[..<close].dropFirst())) else {
            // An expression may have braces of its own: `{id:[0-9]{3}}`.
            throw .parameterName(String(Substring(braced[..<last].dropFirst())))
        }
        return braced.index(after: close)
    }

    private static func literal(_ piece: Substring) throws(PathPatternRejection) -> [UInt8] {
        guard !piece.utf8.contains(UInt8(ascii: "}")) else { throw .braceInSegment(String(piece)) }
        do {
            return try PathLiteral.segment(piece)
        } catch {
            throw .path(error)
        }
    }

    private static func part(_ text: Substring, _ piece: Substring) throws(PathPatternRejection) -> [UInt8] {
        guard !text.utf8.contains(UInt8(ascii: "}")) else { throw .braceInSegment(String(piece)) }
        do {
            return try PathLiteral.part(text)
        } catch {
            throw .path(error)
        }
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~") && PathCharacters.isUnreserved(byte)
        }
    }
}
