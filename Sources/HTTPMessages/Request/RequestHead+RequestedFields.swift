extension RequestHead {
    /// Most field names that a preflight may ask about.
    public static let mostRequestedFields = 100
    /// Most bytes of all of these names together.
    public static let mostRequestedFieldBytes = 4096

    /// Values of all `Access-Control-Request-Headers`, as they were sent.
    public var requestedFieldValues: [String] {
        fields.filter { isNamed($0, .accessControlRequestHeaders) }.map { string($0.value) }
    }

    /// Names of the fields that a preflight asks about, in lower case and each once (Fetch §3.2.2).
    ///
    /// All `Access-Control-Request-Headers` are one list, and empty elements do not count (RFC 9110 §5.6.1).
    public func requestedFields() throws(RequestedFieldsFault) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        var byteCount = 0
        for field in fields where isNamed(field, .accessControlRequestHeaders) {
            var elements = ListElements(field.value)
            while let range = elements.next(in: bytes.span) {
                guard !range.isEmpty else { continue }
                guard bytes.span.extracting(range).isToken else { throw .malformed }
                let name = string(range).lowercased()
                guard known.insert(name).inserted else { continue }
                byteCount &+= range.count
                guard names.count < Self.mostRequestedFields, byteCount <= Self.mostRequestedFieldBytes else {
                    throw .tooMany
                }
                names.append(name)
            }
        }
        return names
    }
}

/// Reason why the fields that a preflight asks about are not repeated to it.
public enum RequestedFieldsFault: Error, Hashable, Sendable {
    /// One of them is not a field name (RFC 9110 §5.1).
    case malformed
    /// They are more than ``RequestHead/mostRequestedFields`` or ``RequestHead/mostRequestedFieldBytes``.
    case tooMany
}

extension FieldName {
    fileprivate static let accessControlRequestHeaders = FieldName(fixed: "Access-Control-Request-Headers")
}
