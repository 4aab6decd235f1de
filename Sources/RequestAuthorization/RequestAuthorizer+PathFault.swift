import AccessControl
import HTTPMessages
import NetworkNames

extension RequestAuthorizer {
    /// The rule that the path breaks, and the offset of the byte or the segment that breaks it. Nil if it is not the path that is wrong.
    func pathFault(of request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts) -> String? {
        let received = request.head.bytes.span.extracting(request.head.target.path)
        var path = RequestPath()
        do throws(PathRejection) {
            try path.canonicalize(received, encodedSlashes: encodedSlashes)
        } catch {
            return error.hint.map { Self.fault($0, at: path.faultOffset) }
        }
        guard let hint = facts.hint, facts.stage != .crossOrigin else { return nil }
        let (semicolon, slash) = ((UInt8(ascii: "3"), UInt8(ascii: "b")), (UInt8(ascii: "2"), UInt8(ascii: "f")))
        let offset =
            hint == PathRejection.parametersHint
            ? received.offset(of: UInt8(ascii: ";"), orEscape: semicolon) : received.offset(of: nil, orEscape: slash)
        return offset.map { Self.fault(hint, at: $0) }
    }

    private static func fault(_ hint: String, at offset: Int) -> String { "\(hint) It is at byte \(offset) of the path." }
}

extension Span<UInt8> {
    /// The offset of the first byte that is this one, or that begins the escape with these digits in small letters.
    fileprivate func offset(of byte: UInt8?, orEscape digits: (UInt8, UInt8)) -> Int? {
        for index in indices {
            if self[index] == byte { return index }
            guard self[index] == UInt8(ascii: "%"), index &+ 2 < count else { continue }
            if ASCII.lowercased(self[index &+ 1]) == digits.0, ASCII.lowercased(self[index &+ 2]) == digits.1 { return index }
        }
        return nil
    }
}
