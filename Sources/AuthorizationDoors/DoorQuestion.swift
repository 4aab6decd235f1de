import ByteWords
import HTTPMessages

/// Facts that a forward auth proxy states about a request, as ranges in the head of its question.
///
/// Each is stated exactly once, by the fields of the door's own kind. No other fields are read: a client can send
/// those.
struct DoorQuestion {
    let method: Range<Int>
    let target: Range<Int>
    let host: Range<Int>
    private let stated: StatedFields

    init(_ head: borrowing RequestHead, at door: DoorKind) throws(DoorQuestionFault) {
        let section = head.section
        guard let fields = door.fields else {
            guard let authority = head.authority else { throw .noHost }
            // A gRPC message states the scheme outside the fields.
            if !door.asksByMessage {
                let scheme = try Self.scheme(in: section)
                try Self.requireScheme(scheme.value, of: Self.envoyScheme, section)
            }
            (method, target, host) = (head.method, head.target.bytes, authority.bytes)
            stated = StatedFields()
            return
        }
        let stated = try StatedFields(fields, in: section)
        method = try Self.value(stated.method, of: fields.method, section)
        target = try Self.value(stated.target, of: fields.target, section)
        host = try Self.value(stated.host, of: fields.host, section)
        try Self.requireScheme(try Self.value(stated.scheme, of: fields.scheme, section), of: fields.scheme, section)
        self.stated = stated
    }

    /// True if the field states the question, and does not belong to the request itself. Each of these fields occurs
    /// once, so its offset identifies it.
    func isStated(by field: HeaderField) -> Bool { stated.contains(field) }

    /// Envoy's question has the scheme in this field, which stays in the request.
    private static let envoyScheme = FieldName(.xForwardedProto)

    private static func scheme(in section: borrowing HeaderSection) throws(DoorQuestionFault) -> HeaderField {
        guard let field = section.first(.xForwardedProto) else { throw .missing(envoyScheme) }
        guard section.count(of: .xForwardedProto) == 1 else { throw .repeated(envoyScheme) }
        _ = try value(field, of: envoyScheme, section)
        return field
    }

    /// The value of a field that must be present and not empty.
    private static func value(
        _ field: HeaderField?, of name: FieldName, _ section: borrowing HeaderSection
    ) throws(DoorQuestionFault) -> Range<Int> {
        guard let field else { throw .missing(name) }
        guard !field.value.isEmpty else { throw .empty(name) }
        guard !section.isNominated(name) else { throw .nominated(name) }
        return field.value
    }

    private static func requireScheme(
        _ value: Range<Int>, of name: FieldName, _ section: borrowing HeaderSection
    ) throws(DoorQuestionFault) {
        let text = section.bytes.span.extracting(value)
        guard text.equals("https".utf8.span) || text.equals("http".utf8.span) else { throw .notScheme(name) }
    }
}

/// The fields of a question that state the request, found in one pass over all fields.
private struct StatedFields {
    private(set) var method: HeaderField?
    private(set) var target: HeaderField?
    private(set) var host: HeaderField?
    private(set) var scheme: HeaderField?

    init() {}

    init(_ names: DoorFields, in section: borrowing HeaderSection) throws(DoorQuestionFault) {
        for field in section.fields {
            if section.isNamed(field, names.method) {
                guard method == nil else { throw .repeated(names.method) }
                method = field
            } else if section.isNamed(field, names.target) {
                guard target == nil else { throw .repeated(names.target) }
                target = field
            } else if section.isNamed(field, names.host) {
                guard host == nil else { throw .repeated(names.host) }
                host = field
            } else if section.isNamed(field, names.scheme) {
                guard scheme == nil else { throw .repeated(names.scheme) }
                scheme = field
            }
        }
    }

    func contains(_ field: HeaderField) -> Bool {
        let start = field.name.lowerBound
        return start == method?.name.lowerBound || start == target?.name.lowerBound || start == host?.name.lowerBound
            || start == scheme?.name.lowerBound
    }
}
