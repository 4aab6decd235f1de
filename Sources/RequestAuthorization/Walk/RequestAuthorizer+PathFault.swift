import AccessControl
import HTTPMessages
import NetworkNames

extension RequestAuthorizer {
    /// Text for the operator: the path rule that the request breaks, and the offset of the byte or segment that breaks
    /// it. Nil if the path is not what is wrong.
    func pathFault(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts) -> String? {
        let received = request.head.bytes.span.extracting(request.head.target.path)
        var path = RequestPath()
        do throws(PathRejection) {
            try path.canonicalize(received, encodedSlashes: encodedSlashes)
        } catch {
            return error.hint.map { Self.fault($0, at: path.faultOffset) }
        }
        guard let hint = facts.hint, facts.stage != .crossOrigin else { return nil }
        let offset: Int?
        switch hint {
        case PathRejection.parametersHint: offset = received.offset(of: UInt8(ascii: ";"), orEscape: Self.semicolon)
        case PathRejection.doubleEncoding.hint: offset = Self.offsetOfDoubleEncoding(in: received)
        case RequestWalk.leadsElsewhere: offset = path.misleadingSegment.flatMap { received.offset(ofSegment: $0) }
        case PathRejection.encodedSlash.hint, RequestWalk.noPlace, RequestWalk.ambiguous, RequestWalk.otherPlace,
            RequestWalk.otherUpstream,
            RequestWalk.otherRule:
            return Self.fault(hint, ofSlashesIn: received)
        default: offset = nil
        }
        return offset.map { Self.fault(hint, at: $0) }
    }

    /// Offset of the segment that a reader who decodes twice reads differently. Nil if there is none, or the path has
    /// another fault before it.
    private static func offsetOfDoubleEncoding(in received: Span<UInt8>) -> Int? {
        var path = RequestPath()
        do throws(PathRejection) {
            try path.canonicalize(received, encodedSlashes: .keep)
            return nil
        } catch {
            return error == .doubleEncoding ? path.faultOffset : nil
        }
    }

    /// Text about the encoded slashes of a path: the hint, and the offset of the first slash. The rejection does not
    /// tell which of several slashes caused it. Nil if the path has none.
    private static func fault(_ hint: String, ofSlashesIn received: Span<UInt8>) -> String? {
        guard let first = received.offset(of: nil, orEscape: slash) else { return nil }
        let next = received.offset(of: nil, orEscape: slash, from: first &+ 1)
        return next == nil ? fault(hint, at: first) : "\(hint) The first `%2F` is at byte \(first) of the path."
    }

    private static let (semicolon, slash) = (
        (UInt8(ascii: "3"), UInt8(ascii: "b")), (UInt8(ascii: "2"), UInt8(ascii: "f"))
    )

    private static func fault(_ hint: String, at offset: Int) -> String {
        "\(hint) It is at byte \(offset) of the path."
    }
}

extension Span<UInt8> {
    /// Offset of the first byte of the segment with this index. Nil if the path has fewer segments.
    fileprivate func offset(ofSegment number: Int) -> Int? {
        var slashes = 0
        for index in indices where self[index] == UInt8(ascii: "/") {
            if slashes == number { return index &+ 1 }
            slashes &+= 1
        }
        return nil
    }

    /// Offset of the first byte from `start` on that equals `byte`, or that begins the percent escape with these hex
    /// digits (given in lower case). Nil if there is none.
    fileprivate func offset(of byte: UInt8?, orEscape digits: (UInt8, UInt8), from start: Int = 0) -> Int? {
        for index in indices.dropFirst(start) {
            if self[index] == byte { return index }
            guard self[index] == UInt8(ascii: "%"), index &+ 2 < count else { continue }
            if ASCII.lowercased(self[index &+ 1]) == digits.0, ASCII.lowercased(self[index &+ 2]) == digits.1 {
                return index
            }
        }
        return nil
    }
}
