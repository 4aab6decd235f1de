import NetworkNames

/// Parser for `Transfer-Encoding` (RFC 9112 §6.1). Only the single word `chunked`, in any case, is supported.
enum TransferEncoding {
    private static let chunked: StaticString = "chunked"

    /// Returns normally if the value is `chunked`.
    ///
    /// - Throws: the reason otherwise: an unsupported coding, or a malformed list of codings.
    static func requireChunked(_ value: Span<UInt8>) throws(FieldRejection) {
        if isChunked(value) { return }
        var elements = ListElements(0..<value.count)
        var hasChunked = false
        while let element = elements.next(in: value) {
            let coding = value.extracting(element)
            guard coding.isToken else { throw .malformedTransferEncoding }
            if isChunked(coding) {
                guard !hasChunked else { throw .malformedTransferEncoding }
                hasChunked = true
            } else if imitatesChunked(coding) {
                // "xchunked" is a legal name for a coding that does not exist. Its sender wants a lax reader to see
                // "chunked".
                throw .malformedTransferEncoding
            }
        }
        throw .transferCodingNotSupported
    }

    private static func isChunked(_ coding: Span<UInt8>) -> Bool {
        chunked.withUTF8Buffer { unsafe coding.equalsIgnoringCase($0.span) }
    }

    private static func imitatesChunked(_ coding: Span<UInt8>) -> Bool {
        let stem: StaticString = "chunk"
        let length = stem.utf8CodeUnitCount
        guard coding.count >= length else { return false }
        for start in 0...(coding.count &- length) {
            let part = coding.extracting(start..<start &+ length)
            if stem.withUTF8Buffer({ unsafe part.equalsIgnoringCase($0.span) }) { return true }
        }
        return false
    }
}

/// The elements of a comma-separated list (RFC 9110 §5.6.1), without white space around them. Empty elements are
/// included.
struct ListElements {
    private var remaining: Range<Int>?

    init(_ range: Range<Int>) { remaining = range }

    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
        guard let range = remaining else { return nil }
        var comma = range.lowerBound
        while comma < range.upperBound, bytes[comma] != ASCII.comma { comma &+= 1 }
        remaining = comma < range.upperBound ? comma &+ 1..<range.upperBound : nil
        return FieldLine.trimmed(range.lowerBound..<comma, in: bytes)
    }
}
