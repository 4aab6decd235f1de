import AccessControl
import HTTPMessages
import TypedIndices

/// Whether pages of a request's origin may read its answer.
public enum OriginVerdict: Sendable, Hashable {
    /// The request states no origin: no browser needs a permission for it.
    case absent
    case refused
    case allowed(AllowedOrigin)
}

/// An origin whose pages may read the answer.
public enum AllowedOrigin: Sendable, Hashable {
    /// Its place in the list.
    case listed(Int)
    /// Where it stands in the head's bytes.
    case stated(Range<Int>)
}

/// A resource's policy for pages of other origins, with what is written once; a class, so that requests share it.
final class CrossOriginTerms: Sendable {
    let policy: CrossOriginPolicy
    /// Of the list's entries, those that are one origin.
    private let listed: [ListedOrigin?]
    /// What answers state of the names of fields.
    fileprivate let exposed: PreparedFields?

    /// What is stated of an origin that is listed by itself.
    fileprivate struct ListedOrigin {
        /// To a preflight too.
        let permission: PreparedFields
        let answer: PreparedFields
    }

    init(_ policy: CrossOriginPolicy) {
        self.policy = policy
        let exposed: [(name: StaticString, value: [UInt8])] = [
            ("access-control-expose-headers", policy.exposedFields), ("vary", Array("Origin".utf8)),
        ]
        self.exposed = PreparedFields(exposed)
        let patterns = if case .listed(let patterns) = policy.origins { patterns } else { [OriginPattern]() }
        listed = patterns.map { pattern in
            guard let fields = pattern.origin.map({ Self.permission($0, policy) }), let permission = PreparedFields(fields),
                let answer = PreparedFields(fields + exposed)
            else { return nil }
            return ListedOrigin(permission: permission, answer: answer)
        }
    }

    /// The place of an origin that is listed by itself, as it is stated; nil: it is not, which says nothing.
    func place(of origin: Span<UInt8>) -> Int? {
        guard let place = policy.origins.place(of: origin), entry(at: place) != nil else { return nil }
        return place
    }

    fileprivate func entry(at place: Int) -> ListedOrigin? { listed.indices.contains(place) ? listed[place] : nil }

    private static func permission(_ origin: [UInt8], _ policy: CrossOriginPolicy) -> [(name: StaticString, value: [UInt8])] {
        var permission: [(name: StaticString, value: [UInt8])] = [("access-control-allow-origin", origin)]
        if policy.allowsCredentials { permission.append(("access-control-allow-credentials", Array("true".utf8))) }
        return permission
    }
}

/// What an answer tells browsers about pages of other origins (Fetch §3.2.3); only the answers of a resource with a policy do.
public struct CrossOriginFields: Sendable {
    private let terms: CrossOriginTerms
    private let origin: Origin

    /// The origin whose pages may read the answer.
    private enum Origin {
        case none
        case listed(Int)
        case stated(ArraySlice<UInt8>)
    }

    private var policy: CrossOriginPolicy { terms.policy }

    /// - Parameter head: of the request; asked only if the origin stands there alone.
    fileprivate init(_ terms: CrossOriginTerms, _ verdict: OriginVerdict, _ head: () -> RequestHead) {
        self.terms = terms
        origin =
            switch verdict {
            case .absent, .refused: .none
            case .allowed(.listed(let place)): .listed(place)
            case .allowed(.stated(let range)): .stated(head().slice(range))
            }
    }

    private init(_ terms: CrossOriginTerms, _ origin: Origin) {
        self.terms = terms
        self.origin = origin
    }

    /// The same for an origin that is refused.
    var withoutOrigin: CrossOriginFields { CrossOriginFields(terms, .none) }

    /// Writes the fields of an answer, the upstream's or our own.
    public func write(into head: inout some HeadOutput) {
        switch origin {
        // Also where the origin is refused or absent: a cache must not give that answer to another origin's page.
        case .none: head.field("vary", "Origin")
        case .listed(let place):
            if let listed = terms.entry(at: place) { head.fields(listed.answer) }
        case .stated:
            writeOrigin(into: &head)
            if let exposed = terms.exposed { head.fields(exposed) }
        }
    }

    fileprivate func writeOrigin(into head: inout some HeadOutput) {
        switch origin {
        case .none: return
        case .listed(let place):
            if let listed = terms.entry(at: place) { head.fields(listed.permission) }
            return
        case .stated where policy.allowsAnyOrigin: head.field("access-control-allow-origin", "*")
        case .stated(let origin): _ = head.field("access-control-allow-origin", origin.span)
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
        head.section.name(of: field, hasPrefix: "access-control-")
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

    /// The fields that decide for the browser, as `name: value`.
    public var lines: [String] {
        var head = HeadWriter()
        fields.writePreflight(methods, into: &head)
        return String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// Writes the whole answer.
    public func write(into head: inout some HeadOutput, _ terms: AnswerTerms) {
        head.beginAnswer(verdict.status.rawValue, terms)
        fields.writePreflight(methods, into: &head)
        head.endAnswer(terms)
    }
}

/// How a preflight ends. Browsers are told by fields, not by the status.
public enum PreflightVerdict: String, Sendable, Hashable, CaseIterable {
    case granted = "preflight"
    case refused = "preflight_refused"

    public var status: AnswerStatus { .noContent }
}

extension RequestAuthorizer {
    /// What the answer to a request states about pages of other origins; nil for a resource without a policy.
    ///
    /// - Parameter head: of the request; seldom asked.
    public func crossOriginFields(
        _ verdict: OriginVerdict, of resource: ResourceIndex, for head: @autoclosure () -> RequestHead
    ) -> CrossOriginFields? {
        compiled[resource]?.crossOrigin.map { CrossOriginFields($0, verdict, head) }
    }
}
