import NetworkNames

extension Span<UInt8> {
    /// Whether these bytes are a token (RFC 9110 §5.6.2).
    var isToken: Bool { !isEmpty && allSatisfy(ASCII.isToken) }

    /// Whether these bytes may stand in a request line that we write, as its target or path.
    var isTarget: Bool { !isEmpty && allSatisfy(ASCII.isTarget) }

    /// Whether these bytes neither end a request line nor part it, so that its parser judges them as one target.
    var isReceivedTarget: Bool { !isEmpty && allSatisfy { ASCII.isReceivedTarget($0) || $0 == ASCII.numberSign } }

    /// Whether these bytes may stand in a query, which is forwarded as it came but for bytes above 0x7F.
    var isQuery: Bool { allSatisfy(ASCII.isReceivedTarget) }

    /// Whether these bytes are well-formed UTF-8 (RFC 3629 §3).
    var isUTF8: Bool {
        do {
            _ = try UTF8Span(validating: self)
            return true
        } catch {
            return false
        }
    }

    /// The bytes with those above 0x7F percent-encoded; nil if there is none.
    var withEncodedObsText: [UInt8]? { encoded { $0 < 0x80 } }

    /// The bytes with those percent-encoded that may not stand for themselves; nil if there is none.
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

    /// Whether no byte ends the line or could be taken for an end: only HTAB, 0x20–0x7E and obs-text (RFC 9110 §5.5).
    var isFieldValue: Bool { allSatisfy { $0 >= ASCII.space && $0 != 0x7F || $0 == ASCII.tab } }

    @inline(__always)
    private func allSatisfy(_ belongs: (UInt8) -> Bool) -> Bool {
        for index in indices where !belongs(self[index]) { return false }
        return true
    }
}
