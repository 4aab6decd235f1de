/// Fault of a refused head, and its location: for an operator, never for a client.
///
/// Values are not repeated, since one may be a token. Only the faulty byte is shown.
public struct HeadFault: Hashable, Sendable, CustomStringConvertible {
    /// The rule that is broken, as a sentence without its end.
    public let rule: String
    /// Advice about the fault. Nil if the rule is advice enough.
    public let hint: String?
    private let place: Place?

    /// A part of a head, and the offset in it.
    private struct Place: Hashable {
        let part: String
        let offset: Int
        let byte: UInt8?
    }

    /// A request that ended with its stream because HTTP/2's own rules were broken: no more of it is known.
    public static let resetByHTTP2 = HeadFault(
        "no request by HTTP/2's own rules: its pseudo-header fields, `host`, a name, a value or a field of the connection; "
            + "the stream was reset")

    /// A request of which more came over HTTP/2 than is kept.
    public static let beyondLimits = HeadFault(
        "the head is longer than `limits.head`, has more fields than `limits.fields`, or has more than 256 parts of `cookie`"
    )

    /// A request that ended with its stream because far more came over HTTP/2 than is kept: no more of it is known.
    public static let farBeyondLimits = HeadFault(
        "the head is over four times `limits.head`, `limits.fields` or 256 parts of `cookie`; the stream was reset")

    private init(_ rule: String) {
        (self.rule, hint, place) = (rule, nil, nil)
    }

    init(_ rejection: RequestHeadRejection) {
        (rule, hint, place) = (rejection.rule, rejection.hint, nil)
    }

    init(_ malformation: RequestMalformation) {
        (rule, hint, place) = (malformation.rule, nil, nil)
    }

    /// - Parameter bytes: of that part.
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
    /// A fault at a byte of the head as a whole.
    init(_ rejection: RequestHeadRejection, at offset: Int, in head: Span<UInt8>) {
        self.init(rejection.rule, hint: rejection.hint, at: offset, of: "the head", in: head)
    }

    /// A fault in a field: at the first byte of the value that the rule is about.
    init(_ rejection: RequestHeadRejection, inField name: Span<UInt8>, _ value: Span<UInt8>) {
        self.init(
            rejection.rule, hint: rejection.hint, at: rejection.offset(inValue: value), of: Self.part(name), in: value)
    }

    /// A fault in a field of HTTP/2. What is wrong with several fields together is at none of them.
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

    /// A fault in the first line, of which the target is looked at.
    init(_ rejection: RequestHeadRejection, inFirstLine line: Span<UInt8>) {
        let start = line.firstOffset { $0 == ASCII.space }.map { $0 &+ 1 } ?? line.count
        let rest = line.extracting(start..<line.count)
        self.init(rejection, inTarget: rest.extracting(first: rest.firstOffset { $0 == ASCII.space } ?? rest.count))
    }

    /// A fault of a target, or of what stands beside it.
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

    /// A fault in a whole field line, or in what stands in the place of one.
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

    /// Description of a field by its name. A long name may be something else in the wrong location.
    private static func part(_ name: Span<UInt8>) -> String {
        guard name.count <= longestName else { return "a field's value" }
        var text: [UInt8] = []
        for index in name.indices { text.append(name[index]) }
        return "the value of `\(String(decoding: text, as: UTF8.self))`"
    }

    private static let longestName = 40
}

extension RequestHeadRejection {
    /// The byte of a value that the rule is about.
    fileprivate func offset(inValue value: Span<UInt8>) -> Int {
        guard self == .field(.nonASCIIByte), value.count > 0 else { return 0 }
        let first = value.firstOffset { $0 >= 0x80 } ?? 0
        // Where such bytes may stand at all, those at its ends are what is wrong.
        return first > 0 && ObsText.isWhiteSpace(value[value.count &- 1]) ? value.count &- 1 : first
    }
}

extension Span<UInt8> {
    /// The offset of the first byte that is so; nil if none is.
    fileprivate func firstOffset(where isSo: (UInt8) -> Bool) -> Int? {
        for index in indices where isSo(self[index]) { return index }
        return nil
    }

    /// The offset of the first byte from a character on that is of no well-formed UTF-8; nil if all are.
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
    /// Fault of a head whose fields are judged when all of them are present.
    func fault(_ rejection: RequestHeadRejection) -> HeadFault {
        guard let known = rejection.field, let field = first(known) else { return HeadFault(rejection) }
        return HeadFault(rejection, inField: bytes.span.extracting(field.name), bytes.span.extracting(field.value))
    }
}
