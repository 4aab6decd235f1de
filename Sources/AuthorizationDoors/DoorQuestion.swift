import HTTPMessages

/// What a proxy states about a request, as ranges in the head of its question.
///
/// Each thing is stated exactly once, and by the door's own family of fields. Nothing is read from any other: a client can send those.
struct DoorQuestion {
    let method: Range<Int>
    let target: Range<Int>
    let host: Range<Int>

    /// nil: something is missing, is there twice, or is no value that it could have.
    init?(_ head: borrowing RequestHead, at door: DoorKind) {
        let section = head.section
        guard let fields = door.fields else {
            guard let authority = head.authority, door.asksByMessage || Self.statesScheme(section) else { return nil }
            (method, target, host) = (head.method, head.target.bytes, authority.bytes)
            return
        }
        guard let method = Self.only(fields.method, section), let target = Self.only(fields.target, section),
            let host = Self.only(fields.host, section), let scheme = Self.only(fields.scheme, section),
            Self.isScheme(section.bytes.span.extracting(scheme))
        else { return nil }
        (self.method, self.target, self.host) = (method, target, host)
    }

    /// The value of a field that is there once, and has one. `Connection` would have a proxy between remove it, so that it might be the
    /// client's (RFC 9110 §7.6.1).
    private static func only(_ name: FieldName, _ section: borrowing HeaderSection) -> Range<Int>? {
        guard section.count(of: name) == 1, let field = section.first(name), !field.value.isEmpty, !section.isNominated(name) else {
            return nil
        }
        return field.value
    }

    private static func statesScheme(_ section: borrowing HeaderSection) -> Bool {
        guard let scheme = only(FieldName(.xForwardedProto), section) else { return false }
        return isScheme(section.bytes.span.extracting(scheme))
    }

    private static func isScheme(_ value: Span<UInt8>) -> Bool {
        value.equals("https".utf8.span) || value.equals("http".utf8.span)
    }
}
