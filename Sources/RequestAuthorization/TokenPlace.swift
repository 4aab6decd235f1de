import HTTPMessages
import TokenVerification

/// Where the requests of a resource have their token: in one place, and nowhere else.
public enum TokenPlace: Sendable, Hashable {
    /// `Authorization: Bearer` (RFC 6750 §2.1).
    case authorization
    /// A field of its own, as a proxy in front writes it.
    case field(TokenField)
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
    /// The first field that is this place.
    func first(in head: borrowing RequestHead) -> HeaderField? {
        switch self {
        case .authorization: head.first(.authorization)
        case .field(let field): head.section.first(field.name)
        }
    }

    func count(in head: borrowing RequestHead) -> Int {
        switch self {
        case .authorization: head.count(of: .authorization)
        case .field(let field): head.section.count(of: field.name)
        }
    }

    /// What the value of such a field says.
    func credentials(in value: Span<UInt8>) -> BearerCredentials {
        switch self {
        case .authorization: BearerCredentials(value)
        case .field(let field): BearerCredentials(value, behind: field.prefix)
        }
    }

    /// Where the token stands, if it is one; whether its characters are a token's is not asked.
    func presumedToken(in value: Span<UInt8>) -> Range<Int>? {
        switch self {
        case .authorization: BearerCredentials.presumedToken(in: value)
        case .field(let field): BearerCredentials.presumedToken(in: value, behind: field.prefix)
        }
    }

    /// The name of the field, as it is written.
    public var fieldName: String {
        switch self {
        case .authorization: "Authorization"
        case .field(let field): String(decoding: field.name.spelling, as: UTF8.self)
        }
    }

    /// The field with a token, as a request has it.
    public func line(_ token: String) -> String {
        switch self {
        case .authorization: "\(fieldName): Bearer \(token)"
        case .field(let field): "\(fieldName): \(String(decoding: field.prefix, as: UTF8.self))\(token)"
        }
    }
}

extension RequestHead {
    /// Where a token stands that is well-formed; nil: there is none in this place.
    func token(at place: TokenPlace) -> Range<Int>? {
        guard let field = place.first(in: self)?.value, case .token(let range) = place.credentials(in: bytes.span.extracting(field)) else {
            return nil
        }
        return field.lowerBound &+ range.lowerBound..<field.lowerBound &+ range.upperBound
    }
}
