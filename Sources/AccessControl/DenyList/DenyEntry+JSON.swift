import StrictJSON
import TokenVerification

/// Problem of an entry, with advice on what to write instead.
public struct DenyProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let message: String
    public let hint: String?

    public init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}

extension DenyEntry {
    /// Maximum size of an entry in JSON, in bytes.
    public static let longestText = 16 * 1024

    static let limits = JSONLimits(depth: 2, members: 16, bytes: longestText)

    /// Maximum size of a saved entry, in bytes: escaping may turn one byte into six, and the times are written out.
    public static let longestSavedText = 6 * longestText + 256

    private static let savedLimits = JSONLimits(depth: 2, members: 16, bytes: longestSavedText)

    /// Reads an entry such as `{"issuer": "logto", "sub": "u1", "issued_before": "2026-11-22T10:00:00Z"}`.
    ///
    /// - Parameter now: time from which the validity of an entry without `expires` counts.
    public init(parsing bytes: Span<UInt8>, issuers: DenyIssuers, at now: NumericDate) throws(DenyProblem) {
        let document: JSONDocument
        do throws(JSONRejection) {
            document = try JSONDocument(parsing: bytes, limits: Self.limits)
        } catch {
            throw DenyProblem(error.words)
        }
        try self.init(document.root, issuers: issuers, at: now)
    }

    /// Parses the saved text of an entry or of a decision.
    static func document(restoring bytes: Span<UInt8>) throws(DenyProblem) -> JSONDocument {
        do throws(JSONRejection) {
            return try JSONDocument(parsing: bytes, limits: Self.savedLimits)
        } catch {
            throw DenyProblem(error.words)
        }
    }

    /// Reads the members that ``appendMembers(with:to:)`` wrote. The issuer need not be configured any more. An invalid
    /// note is ignored: without the entry, tokens would be accepted.
    init(restored json: JSONValue) throws(DenyProblem) {
        guard let issuer = json[member: "issuer"]?.string else { throw DenyProblem("`issuer` is missing") }
        let (attribute, value) = try Self.subject(of: json)
        guard let expires = try Self.date(json[member: "expires"], "expires") else {
            throw DenyProblem("`expires` is missing")
        }
        self.init(
            issuer: issuer, attribute, value,
            issuedBefore: try Self.date(json[member: "issued_before"], "issued_before"),
            expires: expires, note: try? Self.note(of: json))
    }

    private init(_ json: JSONValue, issuers: DenyIssuers, at now: NumericDate) throws(DenyProblem) {
        guard json.kind == .object else { throw DenyProblem("expected an object, found an array", hint: Self.example) }
        guard let name = json[member: "issuer"] else {
            throw DenyProblem(
                "`issuer` is missing", hint: "name one of the file's issuers: \(issuers.names.joined(separator: ", "))")
        }
        guard let issuer = name.string else { throw DenyProblem("`issuer` is not text") }
        guard let lifetime = issuers.lifetime(of: issuer) else {
            if let realms = issuers.realms(of: issuer) {
                throw DenyProblem("`\(issuer)` has realms", hint: "name the realm by its `iss`: \(realms)")
            }
            throw DenyProblem(
                "there is no issuer `\(issuer)`",
                hint: "the file's issuers are: \(issuers.names.joined(separator: ", "))")
        }
        let (attribute, value) = try Self.subject(of: json)
        let issuedBefore = try Self.date(json[member: "issued_before"], "issued_before")
        let expires = try Self.date(json[member: "expires"], "expires")
        let note = try Self.note(of: json)
        let known = 2 + (issuedBefore == nil ? 0 : 1) + (expires == nil ? 0 : 1) + (note == nil ? 0 : 1)
        guard json.count == known else { throw Self.unknownMember(of: json) }
        self.init(
            issuer: issuer, attribute, value, issuedBefore: issuedBefore,
            expires: expires ?? NumericDate(seconds: (now + lifetime).seconds.rounded(.up)), note: note)
    }

    private static let example = "write such as {\"issuer\": \"logto\", \"sub\": \"u1\"}"
    private static let choices = DeniedAttribute.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")

    private static func subject(of json: JSONValue) throws(DenyProblem) -> (DeniedAttribute, String) {
        var found: (attribute: DeniedAttribute, value: JSONValue)?
        for attribute in DeniedAttribute.allCases {
            guard let value = attribute.member(of: json) else { continue }
            guard found == nil else {
                throw DenyProblem("more than one of \(choices)", hint: "write an entry for each")
            }
            found = (attribute, value)
        }
        guard let found else { throw DenyProblem("none of \(choices)", hint: "write exactly one of them") }
        guard let value = found.attribute.value(from: found.value) else {
            throw DenyProblem("`\(found.attribute.rawValue)` is not text")
        }
        guard !value.isEmpty else { throw DenyProblem("`\(found.attribute.rawValue)` is empty") }
        guard value.utf8.count <= longestValue else {
            throw DenyProblem("`\(found.attribute.rawValue)` is longer than \(longestValue) bytes")
        }
        return (found.attribute, value)
    }

    private static func date(_ json: JSONValue?, _ name: String) throws(DenyProblem) -> NumericDate? {
        guard let json else { return nil }
        let date =
            json.integer.map { DenyDate.parse(seconds: $0) } ?? json.withStringBytes { text in DenyDate.parse(text) }
            ?? nil
        guard let date else { throw DenyProblem("`\(name)` is not a time", hint: "write \(DenyDate.form)") }
        return date
    }

    private static func note(of json: JSONValue) throws(DenyProblem) -> String? {
        guard let member = json[member: "note"] else { return nil }
        guard let text = member.string else { throw DenyProblem("`note` is not text") }
        if let fault = fault(ofNote: text) {
            throw DenyProblem("`note` \(fault)", hint: "write one line, such as a ticket")
        }
        return text
    }

    private static func unknownMember(of json: JSONValue) -> DenyProblem {
        let known = Set(["issuer", "issued_before", "expires", "note"] + DeniedAttribute.allCases.map(\.rawValue))
        let unknown = json.members.map(\.name).first { !known.contains($0) } ?? ""
        return DenyProblem(
            "unknown member `\(unknown)`", hint: "members are: issuer, one of \(choices), issued_before, expires, note")
    }

    /// Appends the entry as a JSON object, or as the next element of an array.
    public func append(with json: inout JSONObjectWriter, to bytes: inout [UInt8]) {
        json.beginObject(into: &bytes)
        appendMembers(with: &json, to: &bytes)
        json.end(into: &bytes)
    }

    func appendMembers(with json: inout JSONObjectWriter, to bytes: inout [UInt8]) {
        json.member("issuer", string: issuer, into: &bytes)
        json.member(attribute.rawValue, string: value, into: &bytes)
        if let issuedBefore { json.member("issued_before", string: issuedBefore.description, into: &bytes) }
        json.member("expires", string: expires.description, into: &bytes)
        if let note { json.member("note", string: note, into: &bytes) }
    }
}

extension DeniedAttribute {
    fileprivate func member(of json: JSONValue) -> JSONValue? {
        switch self {
        case .tokenID: json[member: "jti"]
        case .subject: json[member: "sub"]
        case .session: json[member: "sid"]
        case .client: json[member: "client"]
        case .keyID: json[member: "kid"]
        }
    }

    /// Value of a deny entry in the form that is compared with tokens: text, or the digits of an integer of 64 bits. A
    /// key ID must be a text. Nil for any other value.
    fileprivate func value(from json: JSONValue) -> String? {
        self == .keyID ? json.string : json.identifier
    }
}

extension JSONRejection {
    fileprivate var words: String {
        switch self {
        case .tooLarge: "longer than \(DenyEntry.longestText) bytes"
        case .empty: "empty"
        case .tooDeep: "an object or an array within the entry"
        case .tooManyMembers: "too many members"
        case .duplicateMember: "duplicate member"
        case .notUTF8: "not UTF-8"
        case .byteOrderMark: "it begins with a byte order mark"
        case .nullCharacter: "it has a zero character"
        case .numberOutOfRange: "a number is out of range"
        case .trailingBytes: "something follows the entry"
        case .notObjectOrArray: "not a JSON object"
        case .outOfMemory: "out of memory"
        case .malformed(_, let column): "not JSON at column \(column)"
        }
    }
}
