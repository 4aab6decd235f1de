extension JSONValue {
    /// The value as compact JSON. Members keep their order. A scalar is written without an enclosing array or object.
    public func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        serialize(into: &bytes)
        return bytes
    }

    /// Appends the value as compact JSON. The document's depth limit bounds the recursion.
    public func serialize(into bytes: inout [UInt8]) {
        switch kind {
        case .null: JSONText.appendNull(to: &bytes)
        case .boolean: JSONText.appendBoolean(boolean ?? false, to: &bytes)
        case .integer: JSONText.appendInteger(integer ?? 0, to: &bytes)
        case .real:
            guard let text = oddInteger else { return JSONText.appendReal(real ?? 0, to: &bytes) }
            bytes.append(contentsOf: text)
        case .string: _ = withStringBytes { text in JSONText.appendString(text, to: &bytes) }
        case .array: serializeElements(into: &bytes)
        case .object: serializeMembers(into: &bytes)
        }
    }

    private func serializeElements(into bytes: inout [UInt8]) {
        var separator = UInt8(ascii: "[")
        for element in elements {
            bytes.append(separator)
            element.serialize(into: &bytes)
            separator = UInt8(ascii: ",")
        }
        if count == 0 { bytes.append(separator) }
        bytes.append(UInt8(ascii: "]"))
    }

    private func serializeMembers(into bytes: inout [UInt8]) {
        var separator = UInt8(ascii: "{")
        for member in members {
            bytes.append(separator)
            member.withNameBytes { name in JSONText.appendString(name, to: &bytes) }
            bytes.append(UInt8(ascii: ":"))
            member.value.serialize(into: &bytes)
            separator = UInt8(ascii: ",")
        }
        if count == 0 { bytes.append(separator) }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension String {
    /// The string as a JSON text, including quotes.
    public var serializedAsJSON: [UInt8] {
        var bytes: [UInt8] = []
        JSONText.appendString(utf8.span, to: &bytes)
        return bytes
    }

    /// The longest prefix of whole Unicode scalars that has at most this many bytes of UTF-8.
    public func prefix(utf8Count limit: Int) -> Substring {
        guard utf8.count > limit else { return self[...] }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end]
    }
}
