import AccessControl
import ByteWords
import HTTPMessages
import TokenVerification

/// CORS verdict: whether pages of the request's origin may read the response.
public enum OriginVerdict: Sendable, Hashable {
    /// The request has no `Origin`: no browser needs a permission for it.
    case absent
    case refused
    case allowed(AllowedOrigin)
}

/// An origin whose pages may read the response.
public enum AllowedOrigin: Sendable, Hashable {
    /// An origin that the policy lists exactly: its index in that list.
    case listed(Int)
    /// Any other permitted origin: its range in the head's bytes.
    case stated(Range<Int>)
}

/// A resource's CORS policy with its response fields written in advance. A class, so that requests share it.
final class CrossOriginTerms: Sendable {
    let policy: CrossOriginPolicy
    /// The list entries that are one exact origin, without wildcard, and the response fields for each.
    private let names: [[UInt8]]
    private let listed: [CrossOriginFields]
    /// Response fields for a refused origin, and for a request without one.
    let withoutOrigin: CrossOriginFields
    /// Response fields for allowed origins that are not listed exactly: the exposed field names, and `Vary`. Nil if the
    /// names have a byte that is not allowed in field values.
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

    /// Index of an origin among the exact ones, compared byte by byte. Nil if it is not there; it may still be allowed.
    func place(of origin: Span<UInt8>) -> Int? {
        for index in names.indices {
            let name = names[index]
            if origin.equals(name.span) { return index }
        }
        return nil
    }

    /// - Parameter head: the head of the request; called only if the verdict refers to the origin by its range there.
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

/// The CORS fields of a response (Fetch §3.2.3). Only responses of a resource with a CORS policy have them.
///
/// A class, so that requests of one origin share it.
public final class CrossOriginFields: Sendable {
    private let policy: CrossOriginPolicy
    private let origin: Origin

    /// The origin whose pages may read the response.
    fileprivate enum Origin {
        case none
        /// An origin that the policy lists exactly: prepared fields for a preflight response, and for any other
        /// response.
        case listed(PreparedFields, PreparedFields)
        /// Any other permitted origin: its bytes, and the prepared fields that name exposed fields.
        case stated(ArraySlice<UInt8>, PreparedFields?)
    }

    fileprivate init(_ policy: CrossOriginPolicy, _ origin: Origin) {
        self.policy = policy
        self.origin = origin
    }

    /// Writes the CORS fields of a response, the upstream's or our own.
    public func write(into head: inout some HeadOutput) {
        switch origin {
        // Also for a refused or absent origin: a cache must not give that response to a page of another origin.
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

    /// True if `*` permits every field but `Authorization` (Fetch §4.8).
    fileprivate var permitsByWildcard: Bool { !policy.allowsCredentials }

    private var isGranted: Bool { if case .none = origin { false } else { true } }

    /// - Parameter names: names of the request fields that pages may send, separated by commas.
    fileprivate func writePreflight(_ methods: [UInt8], _ names: [UInt8], into head: inout some HeadOutput) {
        if isGranted {
            writeOrigin(into: &head)
            _ = head.field("access-control-allow-methods", methods.span)
            _ = head.field("access-control-allow-headers", names.span)
            head.field("access-control-max-age", policy.maxAge)
        }
        head.field("vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
    }

    /// True if a field of the upstream's response is dropped, because the policy alone decides its value.
    public static func replaces(_ field: HeaderField, of head: ResponseHead) -> Bool {
        // Most names are shorter, so the length check is a cheap first test.
        field.name.count > 15 && head.section.name(of: field, hasPrefix: "access-control-")
    }
}

/// Response to a CORS preflight: what pages of its origin may send to this path (Fetch §3.2.2).
public struct PreflightAnswer: Sendable {
    public let verdict: PreflightVerdict
    private let fields: CrossOriginFields
    /// The methods that rules permit, separated by commas.
    let methods: [UInt8]
    /// Names of the request fields that pages may send, separated by commas.
    private let requestFields: [UInt8]

    init(_ verdict: PreflightVerdict, _ fields: CrossOriginFields, methods: [UInt8], requestFields: [UInt8]) {
        self.verdict = verdict
        self.fields = fields
        self.methods = methods
        self.requestFields = requestFields
    }

    /// The preflight response for a metadata document: pages of every origin may read it, whichever request fields they
    /// add (RFC 9728 §3).
    static let ofDocument: PreflightAnswer = {
        let policy = CrossOriginPolicy(origins: .any, requestFields: ["*"])
        return PreflightAnswer(
            .granted, CrossOriginFields(policy, .stated([], nil)), methods: Array("GET".utf8),
            requestFields: policy.requestFields)
    }()

    var permittedMethods: [String] { Self.elements(methods) }

    /// True if the answer permits a request field, whose name is in lower case.
    func permits(field name: String) -> Bool {
        let permitted = Self.elements(requestFields)
        return permitted.contains(name)
            || fields.permitsByWildcard && permitted.contains("*") && name != "authorization"
    }

    /// The permitted methods and request fields, for the operator.
    var granted: String {
        "methods \(String(decoding: methods, as: UTF8.self)), headers \(String(decoding: requestFields, as: UTF8.self))"
    }

    private static func elements(_ list: [UInt8]) -> [String] {
        String(decoding: list, as: UTF8.self).split(separator: ", ").map(String.init)
    }

    /// The CORS fields of the response, as `name: value`.
    public var lines: [String] {
        var head = HeadWriter()
        fields.writePreflight(methods, requestFields, into: &head)
        return String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// Writes the complete response.
    public func write(into head: inout some HeadOutput, _ terms: AnswerTerms) -> [UInt8] {
        head.beginAnswer(verdict.status.rawValue, terms)
        fields.writePreflight(methods, requestFields, into: &head)
        // A proxy that reads the answer from fields needs a response with a defined length.
        if terms.form == .fields { head.field("content-length", 0) }
        head.endAnswer(terms)
        return []
    }
}

/// Outcome of a preflight. Browsers read it from the fields, not from the status.
public enum PreflightVerdict: String, Sendable, Hashable, CaseIterable {
    case granted = "preflight"
    case refused = "preflight_refused"

    public var status: AnswerStatus { .noContent }
}
