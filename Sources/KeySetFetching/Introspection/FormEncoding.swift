import FoundationEssentials

/// Form encoding of client identifiers, secrets and tokens (RFC 6749 appendix B).
enum FormEncoding {
    /// Percent-encodes every byte that is not a letter, a digit, `-`, `.` or `_`.
    ///
    /// A space is also percent-encoded, not written as `+`: form decoders accept both, URL decoders only this.
    static func encoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        for byte in bytes {
            if standsForItself(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0x0F)]
            }
        }
        return encoded
    }

    /// Value of an `Authorization` field for a client (RFC 6749 §2.3.1): both parts are form-encoded, then written as
    /// RFC 7617 requires.
    static func basicCredentials(clientID: String, secret: ClientSecret) -> String {
        let pair = encoded(clientID.utf8) + [UInt8(ascii: ":")] + encoded(secret.bytes)
        return "Basic \(Data(pair).base64EncodedString())"
    }

    private static func standsForItself(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x41 + value - 10
    }
}
