/// The three parts of a compact JWS (RFC 7515 §7.1), as ranges of the token's own bytes.
///
/// Says nothing about what the parts hold. The third may be empty, so that a token that names no algorithm is judged by
/// its algorithm.
public struct CompactJWS: Sendable, Hashable {
    public let protectedHeader: Range<Int>
    public let payload: Range<Int>
    public let signature: Range<Int>

    /// The bytes a signature is made over: header, dot and payload exactly as received.
    public var signingInput: Range<Int> {
        protectedHeader.lowerBound..<payload.upperBound
    }

    /// Splits a token. Reads no further than the fifth dot.
    public init(_ token: Span<UInt8>) throws(CompactJWSRejection) {
        let dots = Dots(token)
        try dots.checkCount()
        protectedHeader = 0..<dots.first
        payload = (dots.first &+ 1)..<dots.second
        signature = (dots.second &+ 1)..<token.count
        guard !protectedHeader.isEmpty, !payload.isEmpty else { throw .emptyPart }
        // Four characters carry three bytes, so no number of bytes leaves a single one over.
        let lengthsAreSound = protectedHeader.count % 4 != 1 && payload.count % 4 != 1 && signature.count % 4 != 1
        guard dots.areBetweenBase64URL, lengthsAreSound else { throw .notBase64URL }
    }
}

/// Why a token is no compact JWS.
public enum CompactJWSRejection: Error, Hashable, Sendable {
    /// No dot at all: an opaque token.
    case noDots
    case tooFewParts
    /// Four parts, or more than five.
    case tooManyParts
    /// Five parts: a JWE (RFC 7516 §7.1).
    case encrypted
    /// The header or the payload is empty; a detached payload (RFC 7515 appendix F) is one such.
    case emptyPart
    /// A byte outside the base64url alphabet, or a part of a length that base64url does not have (RFC 4648 §5).
    case notBase64URL
}

/// Where a token's first two dots stand, how many there are up to the fifth, and whether all else is base64url.
private struct Dots {
    var count = 0
    var first = 0
    var second = 0
    var areBetweenBase64URL = true

    init(_ token: Span<UInt8>) {
        let values = Base64URL.values
        var seen: UInt8 = 0
        for index in token.indices {
            let byte = token[index]
            if byte == UInt8(ascii: ".") {
                count &+= 1
                if count == 1 { first = index }
                if count == 2 { second = index }
                if count == 5 { return }
            } else {
                seen |= values[Int(byte)]
            }
        }
        areBetweenBase64URL = seen < 64
    }

    func checkCount() throws(CompactJWSRejection) {
        switch count {
        case 0: throw .noDots
        case 1: throw .tooFewParts
        case 2: return
        case 4: throw .encrypted
        default: throw .tooManyParts
        }
    }
}
