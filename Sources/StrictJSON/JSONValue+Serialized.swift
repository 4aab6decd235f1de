extension JSONValue {
    /// The value as compact JSON; members keep their order, a scalar stands alone.
    public func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        serialize(into: &bytes)
        return bytes
    }

    /// Appends the value as compact JSON. Recursion ends with the depth the document was limited to.
    public func serialize(into bytes: inout [UInt8]) {
        switch kind {
        case .null: JSONText.appendNull(to: &bytes)
        case .boolean: JSONText.appendBoolean(boolean ?? false, to: &bytes)
        case .integer: JSONText.appendInteger(integer ?? 0, to: &bytes)
        case .real: JSONText.appendReal(real ?? 0, to: &bytes)
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
