import NetworkNames

/// The fault of a refused head and its location, for the operator's log, never for a client.
///
/// Values are not repeated, because one may be a token. Only the faulty byte is shown.
public struct HeadFault: Hashable, Sendable, CustomStringConvertible {
    /// The broken rule, as a sentence without its full stop.
    public let rule: String
    /// Advice for fixing the fault. Nil if the rule is advice enough.
    public let hint: String?
    private let place: Place?

    /// Location of the faulty byte: a part of the head, and the offset in it.
    private struct Place: Hashable {
        let part: String
        let offset: Int
        let byte: UInt8?
    }

    /// A request that broke HTTP/2's own rules, so that its stream was reset. No details are known.
    public static let resetByHTTP2 = HeadFault(
        "the request breaks HTTP/2's own rules (pseudo-header fields, `host`, a name, a value or a hop-by-hop field); "
            + "the stream was reset")

    /// A request whose HTTP/2 head exceeds the limits.
    public static let beyondLimits = HeadFault(
        "the head is longer than `limits.head`, has more fields than `limits.fields`, or has more than 256 parts of `cookie`"
    )

    /// A request whose HTTP/2 head exceeds the limits so far that its stream was reset. No details are known.
    public static let farBeyondLimits = HeadFault(
        "the head is more than four times over `limits.head`, `limits.fields` or 256 parts of `cookie`; the stream was reset"
    )

    private init(_ rule: String) {
        (self.rule, hint, place) = (rule, nil, nil)
    }

    init(_ rejection: RequestHeadRejection) {
        (rule, hint, place) = (rejection.rule, rejection.hint, nil)
    }

    init(_ malformation: RequestMalformation) {
        (rule, hint, place) = (malformation.rule, nil, nil)
    }

    /// - Parameter bytes: the bytes of the part that `offset` counts in.
    private init(_ rule: String, hint: String? = nil, at offset: Int, of part: String, in bytes: Span<UInt8>) {
        (self.rule, self.hint) = (rule, hint)
        place = Place(part: part, offset: offset, byte: offset >= 0 && offset < bytes.count ? bytes[offset] : nil)
    }

    public var description: String {
        guard let place else { return rule }
        let byte = place.byte.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return " (0x\(digits.utf8.count < 2 ? "0" : "")\(digits))"
        }
        return "\(rule): byte \(place.offset)\(byte ?? "") of \(place.part)"
    }
}

extension HeadFault {
    /// A fault at an offset in the whole head.
    init(_ rejection: RequestHeadRejection, at offset: Int, in head: Span<UInt8>) {
        self.init(rejection.rule, hint: rejection.hint, at: offset, of: "the head", in: head)
    }

    /// A fault in a field, at the first byte of its value that breaks the rule.
    init(_ rejection: RequestHeadRejection, inField name: Span<UInt8>, _ value: Span<UInt8>) {
        self.init(
            rejection.rule, hint: rejection.hint, at: rejection.offset(inValue: value), of: Self.part(name), in: value)
    }

    /// A fault in a field of HTTP/2. A fault that concerns several fields together has no location.
    init(_ malformation: RequestMalformation, inField name: Span<UInt8>, _ value: Span<UInt8>) {
        switch malformation {
        case .invalidFieldName:
            let offset = name.firstOffset { !ASCII.isToken($0) || ASCII.lowercased($0) != $0 }
            self.init(malformation.rule, at: offset ?? 0, of: "a name", in: name)
        case .invalidFieldValue, .latePseudoHeader, .connectionField, .repeatedHost, .hostContradictsAuthority,
            .contentLength:
            let offset = value.firstOffset { $0 != ASCII.tab && ($0 < ASCII.space || $0 == ASCII.delete) }
            self.init(malformation.rule, at: offset ?? 0, of: Self.part(name), in: value)
        case .pseudoHeader, .method, .scheme, .path, .fieldSectionTooLarge: self.init(malformation)
        }
    }

    /// A fault in the first line. Its location is in the target.
    init(_ rejection: RequestHeadRejection, inFirstLine line: Span<UInt8>) {
        let start = line.firstOffset { $0 == ASCII.space }.map { $0 &+ 1 } ?? line.count
        let rest = line.extracting(start..<line.count)
        self.init(rejection, inTarget: rest.extracting(first: rest.firstOffset { $0 == ASCII.space } ?? rest.count))
    }

    /// A fault in a target, or elsewhere in the first line (then without a location).
    init(_ rejection: RequestHeadRejection, inTarget target: Span<UInt8>) {
        let offset: Int? =
            switch rejection {
            case .fragmentInTarget: target.firstOffset { $0 == ASCII.numberSign }
            case .queryNotUTF8: target.firstOffsetNotUTF8(from: target.firstOffset { $0 == ASCII.questionMark } ?? 0)
            case .invalidTargetForm, .asteriskWithoutOptions, .invalidTargetAuthority: 0
            default: nil
            }
        if let offset {
            self.init(rejection.rule, hint: rejection.hint, at: offset, of: "the target", in: target)
        } else {
            self.init(rejection)
        }
    }

    /// A fault in a whole line, which may not even be a field line.
    init(_ rejection: RequestHeadRejection, inLine line: Span<UInt8>) {
        let end = line.firstOffset { !ASCII.isToken($0) } ?? line.count
        guard end > 0, end < line.count, line[end] == ASCII.colon else {
            self.init(
                rejection.rule, hint: rejection.hint, at: rejection == .field(.missingColon) ? 0 : end,
                of: "a field line",
                in: line)
            return
        }
        self.init(
            rejection, inField: line.extracting(first: end),
            line.extracting(FieldLine.trimmed(end &+ 1..<line.count, in: line)))
    }

    /// Description of a field's value for the message. A long name is left out: it may be a secret that was written in
    /// the wrong location.
    private static func part(_ name: Span<UInt8>) -> String {
        guard name.count <= longestName else { return "a field's value" }
        var text: [UInt8] = []
        for index in name.indices { text.append(name[index]) }
        return "the value of `\(String(decoding: text, as: UTF8.self))`"
    }

    private static let longestName = 40
}

extension RequestHeadRejection {
    /// Offset of the byte of a value that breaks the rule.
    fileprivate func offset(inValue value: Span<UInt8>) -> Int {
        guard self == .field(.nonASCIIByte), value.count > 0 else { return 0 }
        let first = value.firstOffset { $0 >= 0x80 } ?? 0
        // If bytes above 0x7F are allowed in this field, only those at the ends of the value are refused.
        return first > 0 && ObsText.isWhiteSpace(value[value.count &- 1]) ? value.count &- 1 : first
    }
}

extension Span<UInt8> {
    /// The offset of the first byte that satisfies the condition. Nil if none does.
    fileprivate func firstOffset(where isSo: (UInt8) -> Bool) -> Int? {
        for index in indices where isSo(self[index]) { return index }
        return nil
    }

    /// The offset of the first byte that is not well-formed UTF-8. The check begins at `start`, a character boundary.
    /// Nil if all bytes from there are well-formed.
    fileprivate func firstOffsetNotUTF8(from start: Int) -> Int? {
        do {
            _ = try UTF8Span(validating: extracting(start..<count))
            return nil
        } catch {
            return start &+ error.byteOffsets.lowerBound
        }
    }
}

extension HeaderSection {
    /// The fault for a rejection that is only found after the whole section was read.
    func fault(_ rejection: RequestHeadRejection) -> HeadFault {
        guard let known = rejection.field, let field = first(known) else { return HeadFault(rejection) }
        return HeadFault(rejection, inField: bytes.span.extracting(field.name), bytes.span.extracting(field.value))
    }
}
