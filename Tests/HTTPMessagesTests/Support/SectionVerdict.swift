import HTTPMessages

/// Result of reading a field section.
enum SectionVerdict: Hashable {
    case complete(SectionSummary)
    case rejected(RequestHeadRejection)
    case malformed

    var summary: SectionSummary? {
        if case .complete(let summary) = self { return summary }
        return nil
    }

    var rejection: RequestHeadRejection? {
        if case .rejected(let rejection) = self { return rejection }
        return nil
    }

    /// Stands in for the key that the gateway generates.
    static let webSocketKey = "dGhlIHNhbXBsZSBub25jZQ=="

    /// Reads a section with `RequestHeadBuilder`.
    init(_ section: FieldSection, with builder: inout RequestHeadBuilder) {
        builder.reset()
        do throws(RequestHeadFault) {
            try builder.build(section)
            self = .complete(SectionSummary(builder.head))
        } catch {
            switch error {
            case .malformed: self = .malformed
            case .rejected(let rejection): self = .rejected(rejection)
            }
        }
    }

    init(_ section: FieldSection, limits: HeadLimits = HeadLimits()) {
        var builder = RequestHeadBuilder(limits: limits)
        self.init(section, with: &builder)
    }
}

extension RequestHeadBuilder {
    /// Adds a whole section.
    mutating func build(_ section: FieldSection) throws(RequestHeadFault) {
        do throws(RequestMalformation) {
            for field in section.fields {
                try add(name: field.name.span, value: field.value.span, isNeverIndexed: field.isNeverIndexed)
            }
        } catch {
            throw .malformed(error)
        }
        try finish(endsStream: section.endsStream, webSocketKey: asksForWebSocket ? SectionVerdict.webSocketKey : "")
    }
}

/// Summary of a request head as the judging code sees it, equal for both versions.
struct SectionSummary: Hashable {
    struct Field: Hashable, Comparable {
        var name: [UInt8]
        var value: [UInt8]
        var nameHash: UInt32
        var known: KnownField?
        var lookAlike: KnownField?

        static func < (one: Field, other: Field) -> Bool {
            one.name == other.name
                ? one.value.lexicographicallyPrecedes(other.value) : one.name.lexicographicallyPrecedes(other.name)
        }
    }

    var method: [UInt8]
    var form: RequestTarget.Form
    var target: [UInt8]
    var path: [UInt8]
    var query: [UInt8]?
    var authority: [UInt8]?
    var host: [UInt8]?
    var port: Int?
    var framing: BodyFraming
    var keepsAlive: Bool
    var expectsContinue: Bool
    var acceptsTrailers: Bool
    var isGRPC: Bool
    var webSocketKey: String?
    var fields: [Field]
    /// One bit for each known field that is present.
    var present: UInt64

    /// Summarizes a head without what differs in HTTP/2: the framing of the body, and connection handling.
    init(_ head: RequestHead) {
        method = Array(head.slice(head.method))
        form = head.target.form
        target = Array(head.slice(head.target.bytes))
        path = Array(head.slice(head.target.path))
        query = head.target.query.map { Array(head.slice($0)) }
        authority = head.authority.map { Array(head.slice($0.bytes)) }
        host = head.authority.map { Array(head.slice($0.host)) }
        port = head.authority?.port
        framing = head.framing
        keepsAlive = head.keepsAlive
        expectsContinue = head.expectsContinue
        acceptsTrailers = head.acceptsTrailers
        isGRPC = head.isGRPC
        webSocketKey = head.webSocketKey
        fields = head.fields.filter { $0.known != .connection && $0.known != .transferEncoding }.map {
            Field(
                name: Array(head.name(of: $0)), value: Array(head.value(of: $0)), nameHash: $0.nameHash,
                known: $0.known,
                lookAlike: $0.lookAlike)
        }
        present = 0
        for known in Self.allFields where head.contains(known) && known != .connection && known != .transferEncoding {
            present |= 1 << UInt64(known.rawValue)
        }
    }

    private static let allFields = KnownField.allCases

    /// The summary with its fields sorted.
    var sorted: SectionSummary {
        var summary = self
        summary.fields.sort()
        return summary
    }
}
