/// Appends one JSON object, flat or nested, to a byte array. It only keeps track of commas and brackets.
///
/// Allocates nothing except for the growth of the array (and for reals). Names are written as given: the caller must
/// not write a member twice.
public struct JSONObjectWriter: Sendable {
    /// One bit for each open container, the outermost in the lowest bit. Callers never nest deeper than 64.
    private var isArray: UInt64 = 0
    private var hasContent: UInt64 = 0
    private var depth: UInt64 = 0

    public init() {}

    /// Begins the outermost object, or an object as the next element of an array.
    public mutating func beginObject(into bytes: inout [UInt8]) {
        separate(&bytes)
        open(array: 0)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Begins an object that is a member of the open object.
    public mutating func beginObject(_ name: String, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        open(array: 0)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Begins an array that is a member of the open object.
    public mutating func beginArray(_ name: String, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        open(array: 1)
        bytes.append(UInt8(ascii: "["))
    }

    /// Ends the innermost open object or array.
    public mutating func end(into bytes: inout [UInt8]) {
        guard depth > 0 else { return }
        depth &-= 1
        bytes.append(isArray & (1 &<< depth) == 0 ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }
}

// MARK: - Whole objects

extension JSONObjectWriter {
    /// Makes one object with the members that the closure writes.
    public static func object(_ write: (inout JSONObjectWriter, inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        write(&writer, &bytes)
        writer.end(into: &bytes)
        return bytes
    }

    /// Makes one object with the members that the closure writes, as a `String`.
    public static func text(_ write: (inout JSONObjectWriter, inout [UInt8]) -> Void) -> String {
        String(decoding: object(write), as: UTF8.self)
    }

    /// Writes a member that is an array of objects. The closure writes the members of each object.
    public mutating func objects<Element>(
        _ name: String, _ elements: some Sequence<Element>, into bytes: inout [UInt8],
        _ write: (Element, inout JSONObjectWriter, inout [UInt8]) -> Void
    ) {
        beginArray(name, into: &bytes)
        for element in elements {
            beginObject(into: &bytes)
            write(element, &self, &bytes)
            end(into: &bytes)
        }
        end(into: &bytes)
    }
}

// MARK: - Members

extension JSONObjectWriter {
    public mutating func member(_ name: String, string: String, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        JSONText.appendString(string.utf8.span, to: &bytes)
    }

    /// Writes a string, or null for nil.
    public mutating func member(_ name: String, optional string: String?, into bytes: inout [UInt8]) {
        if let string { member(name, string: string, into: &bytes) } else { memberNull(name, into: &bytes) }
    }

    /// Writes bytes of unknown origin as a string. Each malformed UTF-8 sequence becomes U+FFFD.
    public mutating func member(_ name: String, stringBytes: Span<UInt8>, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        JSONText.appendString(stringBytes, to: &bytes)
    }

    public mutating func member(_ name: String, integer: Int64, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        JSONText.appendInteger(integer, to: &bytes)
    }

    public mutating func member(_ name: String, integer: Int, into bytes: inout [UInt8]) {
        member(name, integer: Int64(integer), into: &bytes)
    }

    /// Writes a real in the shortest text that is parsed as the same real. Writes null for NaN and infinity.
    public mutating func member(_ name: String, real: Double, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        JSONText.appendReal(real, to: &bytes)
    }

    public mutating func member(_ name: String, boolean: Bool, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        JSONText.appendBoolean(boolean, to: &bytes)
    }

    public mutating func memberNull(_ name: String, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        JSONText.appendNull(to: &bytes)
    }

    public mutating func member(_ name: String, value: JSONValue, into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        value.serialize(into: &bytes)
    }

    /// Writes a value that is JSON already.
    public mutating func member(_ name: String, json: [UInt8], into bytes: inout [UInt8]) {
        writeName(name, into: &bytes)
        bytes.append(contentsOf: json)
    }

    public mutating func member(_ name: String, strings: some Sequence<String>, into bytes: inout [UInt8]) {
        beginArray(name, into: &bytes)
        for string in strings { element(string: string, into: &bytes) }
        end(into: &bytes)
    }
}

// MARK: - Elements

extension JSONObjectWriter {
    public mutating func element(string: String, into bytes: inout [UInt8]) {
        separate(&bytes)
        JSONText.appendString(string.utf8.span, to: &bytes)
    }

    public mutating func element(integer: Int, into bytes: inout [UInt8]) {
        separate(&bytes)
        JSONText.appendInteger(Int64(integer), to: &bytes)
    }

    /// Writes a real as ``member(_:real:into:)`` does.
    public mutating func element(real: Double, into bytes: inout [UInt8]) {
        separate(&bytes)
        JSONText.appendReal(real, to: &bytes)
    }
}

// MARK: - Punctuation

extension JSONObjectWriter {
    private mutating func open(array: UInt64) {
        let bit: UInt64 = 1 &<< depth
        isArray = isArray & ~bit | (array &<< depth)
        hasContent &= ~bit
        depth &+= 1
    }

    private mutating func separate(_ bytes: inout [UInt8]) {
        guard depth > 0 else { return }
        let bit: UInt64 = 1 &<< (depth &- 1)
        if hasContent & bit != 0 { bytes.append(UInt8(ascii: ",")) }
        hasContent |= bit
    }

    private mutating func writeName(_ name: String, into bytes: inout [UInt8]) {
        separate(&bytes)
        JSONText.appendString(name.utf8.span, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
