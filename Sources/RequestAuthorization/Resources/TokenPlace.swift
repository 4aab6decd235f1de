import HTTPMessages
import TokenVerification

/// Where a request has its token: in one place, and nowhere else.
public enum TokenPlace: Sendable, Hashable {
    /// `Authorization: Bearer` (RFC 6750 §2.1).
    case authorization
    /// A field of its own, as a proxy in front writes it.
    case field(TokenField)
    /// Among the subprotocols of a WebSocket's handshake, behind this name. The place of requests that offer one there,
    /// never of a resource.
    case subprotocol(TokenProtocol)
}

/// A field whose value is a token, with or without something before it.
public struct TokenField: Sendable, Hashable {
    public let name: FieldName
    /// What stands before the token; letters of a request may have any case.
    public let prefix: [UInt8]

    public init(_ name: FieldName, prefix: String = "") {
        self.name = name
        self.prefix = Array(prefix.utf8)
    }
}

extension TokenPlace {
    /// Range of the value that holds the token, in the first field that is this place. Nil if there is none.
    ///
    /// Of subprotocols it is the token alone; nil if there is not exactly one, or one that was not decoded.
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

    /// Whether a request has anything in this place, a token or not.
    func isUsed(in head: borrowing RequestHead) -> Bool {
        switch self {
        case .authorization: head.contains(.authorization)
        case .field(let field): head.section.first(field.name) != nil
        case .subprotocol(let name): head.section.tokenOffer(behind: name) != .none
        }
    }

    /// Whether the place is there once.
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

    /// What the value of such a field says.
    func credentials(in value: Span<UInt8>) -> BearerCredentials {
        switch self {
        case .authorization: BearerCredentials(value)
        case .field(let field): BearerCredentials(value, behind: field.prefix)
        case .subprotocol: BearerCredentials(value, behind: [])
        }
    }

    /// Where the token stands, if it is one; whether its characters are a token's is not asked.
    func presumedToken(in value: Span<UInt8>) -> Range<Int>? {
        switch self {
        case .authorization: BearerCredentials.presumedToken(in: value)
        case .field(let field): BearerCredentials.presumedToken(in: value, behind: field.prefix)
        case .subprotocol: BearerCredentials.presumedToken(in: value, behind: [])
        }
    }

    /// The name of the field, as it is written.
    public var fieldName: String {
        switch self {
        case .authorization: "Authorization"
        case .field(let field): String(decoding: field.name.spelling, as: UTF8.self)
        case .subprotocol: "\(KnownField.secWebSocketProtocol.name)"
        }
    }

    /// The field with a token, as a request has it.
    public func line(_ token: String) -> String {
        switch self {
        case .authorization: "\(fieldName): Bearer \(token)"
        case .field(let field): "\(fieldName): \(String(decoding: field.prefix, as: UTF8.self))\(token)"
        case .subprotocol(let name): "\(fieldName): \(String(decoding: name.spelling, as: UTF8.self)), \(token)"
        }
    }
}

extension RequestHead {
    /// Where a token stands that is well-formed; nil: there is none in this place.
    func token(at place: TokenPlace) -> Range<Int>? {
        guard let field = place.value(in: self),
            case .token(let range) = place.credentials(in: bytes.span.extracting(field))
        else {
            return nil
        }
        return field.lowerBound &+ range.lowerBound..<field.lowerBound &+ range.upperBound
    }
}
