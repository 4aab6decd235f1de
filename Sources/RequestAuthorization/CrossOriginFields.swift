import AccessControl
import HTTPMessages
import TypedIndices

/// Whether pages of a request's origin may read its answer.
public enum OriginVerdict: Sendable, Hashable {
    /// The request states no origin: no browser needs a permission for it.
    case absent
    case refused
    /// Where in the head's bytes the origin stands.
    case allowed(Range<Int>)
}

/// A resource's policy for pages of other origins; a class, so that requests share it.
final class CrossOriginTerms: Sendable {
    let policy: CrossOriginPolicy

    init(_ policy: CrossOriginPolicy) {
        self.policy = policy
    }
}

/// What an answer tells browsers about pages of other origins (Fetch §3.2.3); only the answers of a resource with a policy do.
public struct CrossOriginFields: Sendable {
    private let terms: CrossOriginTerms
    /// The origin whose pages may read the answer; nil: none.
    private let origin: ArraySlice<UInt8>?

    private var policy: CrossOriginPolicy { terms.policy }

    init(_ terms: CrossOriginTerms, origin: ArraySlice<UInt8>?) {
        self.terms = terms
        self.origin = origin
    }

    /// The same for an origin that is refused.
    var withoutOrigin: CrossOriginFields { CrossOriginFields(terms, origin: nil) }

    /// Writes the fields of an answer, the upstream's or our own.
    public func write(into head: inout some HeadOutput) {
        writeOrigin(into: &head)
        if origin != nil {
            let names = policy.exposedFields
            _ = head.field("access-control-expose-headers", names.span)
        }
        // Also where the origin is refused or absent: a cache must not give that answer to another origin's page.
        head.field("vary", "Origin")
    }

    fileprivate func writeOrigin(into head: inout some HeadOutput) {
        guard let origin else { return }
        if policy.allowsAnyOrigin {
            head.field("access-control-allow-origin", "*")
        } else {
            _ = head.field("access-control-allow-origin", origin.span)
        }
        if policy.allowsCredentials { head.field("access-control-allow-credentials", "true") }
    }

    fileprivate func writePreflight(_ methods: [UInt8], into head: inout some HeadOutput) {
        if origin != nil {
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
    public func crossOriginFields(
        _ verdict: OriginVerdict, of resource: ResourceIndex, for head: borrowing RequestHead
    ) -> CrossOriginFields? {
        guard let terms = compiled[resource]?.crossOrigin else { return nil }
        guard case .allowed(let range) = verdict else { return CrossOriginFields(terms, origin: nil) }
        return CrossOriginFields(terms, origin: head.section.slice(range))
    }
}
