import NetworkNames

extension Span<UInt8> {
    /// True if these bytes are a token (RFC 9110 §5.6.2).
    var isToken: Bool { !isEmpty && allSatisfy(ASCII.isToken) }

    /// True if these bytes are allowed as the target or path of a request line that the gateway writes.
    var isTarget: Bool { !isEmpty && allSatisfy(ASCII.isTarget) }

    /// True if these bytes neither end nor split a request line, so that a parser takes them for one target and
    /// validates it.
    var isReceivedTarget: Bool { !isEmpty && allSatisfy { ASCII.isReceivedTarget($0) || $0 == ASCII.numberSign } }

    /// True if these bytes are allowed in a query. A query is forwarded unchanged except for bytes above 0x7F.
    var isQuery: Bool { allSatisfy(ASCII.isReceivedTarget) }

    /// True if these bytes are well-formed UTF-8 (RFC 3629 §3).
    var isUTF8: Bool {
        do {
            _ = try UTF8Span(validating: self)
            return true
        } catch {
            return false
        }
    }

    /// A copy with the bytes above 0x7F percent-encoded. Nil if there are none.
    var withEncodedObsText: [UInt8]? { encoded { $0 < 0x80 } }

    /// A copy with all bytes percent-encoded that are not plain. Nil if all are plain.
    func encoded(except isPlain: (UInt8) -> Bool) -> [UInt8]? {
        guard !allSatisfy(isPlain) else { return nil }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(3 &* count)
        for index in indices {
            let byte = self[index]
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(NetworkNames.ASCII.upperCaseDigit(byte >> 4))
                encoded.append(NetworkNames.ASCII.upperCaseDigit(byte & 0xF))
            }
        }
        return encoded
    }

    /// True if no byte ends the line or could be taken for a line end: only HTAB, 0x20–0x7E and obs-text (RFC 9110
    /// §5.5).
    var isFieldValue: Bool { ByteRepertoire.obsText.end(in: self, from: 0) == count }

    @inline(__always)
    private func allSatisfy(_ belongs: (UInt8) -> Bool) -> Bool {
        for index in indices where !belongs(self[index]) { return false }
        return true
    }
}
