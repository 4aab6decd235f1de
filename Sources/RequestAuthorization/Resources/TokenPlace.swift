import HTTPMessages
import TokenVerification

/// Location of the token in a request: exactly one location, and no other.
public enum TokenPlace: Sendable, Hashable {
    /// `Authorization: Bearer` (RFC 6750 §2.1).
    case authorization
    /// A header field other than `Authorization`, for example one that a proxy in front writes.
    case field(TokenField)
    /// Among the subprotocols of a WebSocket handshake, after this name. Only requests that offer a token there have
    /// this location, never a resource.
    case subprotocol(TokenProtocol)
}

/// A field whose value is a token, with or without a prefix.
public struct TokenField: Sendable, Hashable {
    public let name: FieldName
    /// Text before the token; a request may write its letters in any case.
    public let prefix: [UInt8]

    public init(_ name: FieldName, prefix: String = "") {
        self.name = name
        self.prefix = Array(prefix.utf8)
    }
}

extension TokenPlace {
    /// Range of the value that holds the token, in the first field of this kind. Nil if there is none.
    ///
    /// For a subprotocol it is the range of the token alone. Nil if there is not exactly one, or if it could not be
    /// decoded.
    func value(in head: borrowing RequestHead) -> Range<Int>? {
        switch self {
        case .authorization: return head.first(.authorization)?.value
        case .field(let field): return head.section.first(field.name)?.value
        case .subprotocol(let name):
            switch head.section.tokenOffer(behind: name) {
            case .none, .incomplete, .several: return nil
            case .token(let range): return range
            case .encodedToken: return head.decodedToken
            }
        }
    }

    /// True if the request has anything in this location, a token or not.
    func isUsed(in head: borrowing RequestHead) -> Bool {
        switch self {
        case .authorization: head.contains(.authorization)
        case .field(let field): head.section.first(field.name) != nil
        case .subprotocol(let name): head.section.tokenOffer(behind: name) != .none
        }
    }

    /// True if the location occurs exactly once in the request.
    func isSingle(in head: borrowing RequestHead) -> Bool {
        switch self {
        case .authorization: return head.count(of: .authorization) == 1
        case .field(let field): return head.section.count(of: field.name) == 1
        case .subprotocol(let name):
            switch head.section.tokenOffer(behind: name) {
            case .none, .several: return false
            case .incomplete, .token, .encodedToken: return true
            }
        }
    }

    /// Credentials in the value of this field.
    func credentials(in value: Span<UInt8>) -> BearerCredentials {
        switch self {
        case .authorization: BearerCredentials(value)
        case .field(let field): BearerCredentials(value, behind: field.prefix)
        case .subprotocol: BearerCredentials(value, behind: [])
        }
    }

    /// Range of the token in the location's value. The token's characters are not checked. Nil if the scheme or the
    /// prefix is missing, or no token follows it.
    func presumedToken(in value: Span<UInt8>) -> Range<Int>? {
        switch self {
        case .authorization: BearerCredentials.presumedToken(in: value)
        case .field(let field): BearerCredentials.presumedToken(in: value, behind: field.prefix)
        case .subprotocol: BearerCredentials.presumedToken(in: value, behind: [])
        }
    }

    /// The header field. Nil for other locations.
    public var field: TokenField? { if case .field(let field) = self { field } else { nil } }

    /// Name of the field, as it is usually written.
    public var fieldName: String {
        switch self {
        case .authorization: "Authorization"
        case .field(let field): String(decoding: field.name.spelling, as: UTF8.self)
        case .subprotocol: "\(KnownField.secWebSocketProtocol.name)"
        }
    }

    /// Field line with a token, as a request has it.
    public func line(_ token: String) -> String {
        switch self {
        case .authorization: "\(fieldName): Bearer \(token)"
        case .field(let field): "\(fieldName): \(String(decoding: field.prefix, as: UTF8.self))\(token)"
        case .subprotocol(let name): "\(fieldName): \(String(decoding: name.spelling, as: UTF8.self)), \(token)"
        }
    }
}

extension RequestHead {
    /// Range of a token whose characters are not checked. Nil if this location has none.
    func presumedToken(at place: TokenPlace) -> Range<Int>? {
        guard let field = place.value(in: self),
            let range = place.presumedToken(in: bytes.span.extracting(field))
        else { return nil }
        return field.lowerBound &+ range.lowerBound..<field.lowerBound &+ range.upperBound
    }

    /// Range of a well-formed token. Nil if this location has none.
    func token(at place: TokenPlace) -> Range<Int>? {
        guard let field = place.value(in: self),
            case .token(let range) = place.credentials(in: bytes.span.extracting(field))
        else {
            return nil
        }
        return field.lowerBound &+ range.lowerBound..<field.lowerBound &+ range.upperBound
    }
}
