import AccessControl
import HTTPMessages
import TokenVerification

/// Whether pages of a request's origin may read its answer.
public enum OriginVerdict: Sendable, Hashable {
    /// The request states no origin: no browser needs a permission for it.
    case absent
    case refused
    case allowed(AllowedOrigin)
}

/// An origin whose pages may read the answer.
public enum AllowedOrigin: Sendable, Hashable {
    /// Its place among those that are listed by themselves.
    case listed(Int)
    /// Where it stands in the head's bytes.
    case stated(Range<Int>)
}

/// A resource's policy for pages of other origins, with what is written once; a class, so that requests share it.
final class CrossOriginTerms: Sendable {
    let policy: CrossOriginPolicy
    /// Of the list's entries those that are one origin, and what is stated of each.
    private let names: [[UInt8]]
    private let listed: [CrossOriginFields]
    /// For an origin that is refused, and a request without one.
    let withoutOrigin: CrossOriginFields
    /// What answers state of the names of fields.
    private let exposed: PreparedFields?

    init(_ policy: CrossOriginPolicy) {
        self.policy = policy
        let exposed: [(name: StaticString, value: [UInt8])] = [
            ("access-control-expose-headers", policy.exposedFields), ("vary", Array("Origin".utf8)),
        ]
        self.exposed = PreparedFields(exposed)
        let patterns = if case .listed(let patterns) = policy.origins { patterns } else { [OriginPattern]() }
        let listed: [(name: [UInt8], fields: CrossOriginFields)] = patterns.compactMap(\.origin).compactMap { origin in
            let fields = Self.permission(origin, policy)
            guard let permission = PreparedFields(fields), let answer = PreparedFields(fields + exposed) else {
                return nil
            }
            return (origin, CrossOriginFields(policy, .listed(permission, answer)))
        }
        names = listed.map(\.name)
        self.listed = listed.map(\.fields)
        withoutOrigin = CrossOriginFields(policy, .none)
    }

    /// The place of an origin that is listed by itself, to the letter; nil: it is not, which says nothing.
    func place(of origin: Span<UInt8>) -> Int? {
        for index in names.indices {
            let name = names[index]
            if origin.equals(name.span) { return index }
        }
        return nil
    }

    /// - Parameter head: of the request; asked only if the origin stands there alone.
    func fields(_ verdict: OriginVerdict, _ head: () -> RequestHead) -> CrossOriginFields {
        switch verdict {
        case .absent, .refused: withoutOrigin
        case .allowed(.listed(let place)): listed.indices.contains(place) ? listed[place] : withoutOrigin
        case .allowed(.stated(let range)): CrossOriginFields(policy, .stated(head().slice(range), exposed))
        }
    }

    private static func permission(_ origin: [UInt8], _ policy: CrossOriginPolicy) -> [(
        name: StaticString, value: [UInt8]
    )] {
        var permission: [(name: StaticString, value: [UInt8])] = [("access-control-allow-origin", origin)]
        if policy.allowsCredentials { permission.append(("access-control-allow-credentials", Array("true".utf8))) }
        return permission
    }
}

/// What an answer tells browsers about pages of other origins (Fetch §3.2.3); only the answers of a resource with a
/// policy do.
///
/// A class, so that requests of one origin share it.
public final class CrossOriginFields: Sendable {
    private let policy: CrossOriginPolicy
    private let origin: Origin

    /// The origin whose pages may read the answer.
    fileprivate enum Origin {
        case none
        /// What a preflight's answer states of it, and what any other does.
        case listed(PreparedFields, PreparedFields)
        /// Where it stands, and what answers state of the names of fields.
        case stated(ArraySlice<UInt8>, PreparedFields?)
    }

    fileprivate init(_ policy: CrossOriginPolicy, _ origin: Origin) {
        self.policy = policy
        self.origin = origin
    }

    /// Writes the fields of an answer, the upstream's or our own.
    public func write(into head: inout some HeadOutput) {
        switch origin {
        // Also where the origin is refused or absent: a cache must not give that answer to another origin's page.
        case .none: head.field("vary", "Origin")
        case .listed(_, let answer): head.fields(answer)
        case .stated(_, let exposed):
            writeOrigin(into: &head)
            if let exposed { head.fields(exposed) }
        }
    }

    private func writeOrigin(into head: inout some HeadOutput) {
        switch origin {
        case .none: return
        case .listed(let permission, _): return head.fields(permission)
        case .stated where policy.allowsAnyOrigin: head.field("access-control-allow-origin", "*")
        case .stated(let origin, _): _ = head.field("access-control-allow-origin", origin.span)
        }
        if policy.allowsCredentials { head.field("access-control-allow-credentials", "true") }
    }

    private var isGranted: Bool { if case .none = origin { false } else { true } }

    fileprivate func writePreflight(_ methods: [UInt8], into head: inout some HeadOutput) {
        if isGranted {
            writeOrigin(into: &head)
            _ = head.field("access-control-allow-methods", methods.span)
            let names = policy.requestFields
            _ = head.field("access-control-allow-headers", names.span)
            head.field("access-control-max-age", policy.maxAge)
        }
        head.field("vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
    }

    /// Whether a field of the upstream's answer is left out, because the policy alone decides what it states.
    public static func replaces(_ field: HeaderField, of head: ResponseHead) -> Bool {
        // Most names are shorter, which is quick to see.
        field.name.count > 15 && head.section.name(of: field, hasPrefix: "access-control-")
    }
}

/// The answer to a preflight: what pages of its origin may send to this path (Fetch §3.2.2).
public struct PreflightAnswer: Sendable {
    public let verdict: PreflightVerdict
    private let fields: CrossOriginFields
    /// The methods that rules permit, separated by commas.
    let methods: [UInt8]

    init(_ verdict: PreflightVerdict, _ fields: CrossOriginFields, methods: [UInt8]) {
        self.verdict = verdict
        self.fields = fields
        self.methods = methods
    }

    /// For a metadata document, which the pages of every origin may read, whatever fields their clients add (RFC 9728
    /// §3).
    static let ofDocument: PreflightAnswer = {
        let policy = CrossOriginPolicy(origins: .any, requestFields: ["*"])
        return PreflightAnswer(.granted, CrossOriginFields(policy, .stated([], nil)), methods: Array("GET".utf8))
    }()

    /// The fields that decide for the browser, as `name: value`.
    public var lines: [String] {
        var head = HeadWriter()
        fields.writePreflight(methods, into: &head)
        return String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// Writes the whole answer.
    public func write(into head: inout some HeadOutput, _ terms: AnswerTerms) -> [UInt8] {
        head.beginAnswer(verdict.status.rawValue, terms)
        fields.writePreflight(methods, into: &head)
        // A proxy that is told in fields needs an answer with an end.
        if terms.form == .fields { head.field("content-length", 0) }
        head.endAnswer(terms)
        return []
    }
}

/// How a preflight ends. Browsers are told by fields, not by the status.
public enum PreflightVerdict: String, Sendable, Hashable, CaseIterable {
    case granted = "preflight"
    case refused = "preflight_refused"

    public var status: AnswerStatus { .noContent }
}
