import StrictJSON

/// Members of a protected header that say who signed the token and for which client, or that repeat a claim (RFC 7519
/// §5.3).
///
/// Most issuers write none of them.
public struct HeaderStatement: Sendable, Hashable {
    /// `iss`, `signer` or `client`.
    public enum Member: String, Sendable, Hashable, CaseIterable {
        case issuer = "iss"
        case signer
        case client
    }

    /// `exp` of a header.
    public enum Expiration: Sendable, Hashable {
        case absent
        /// Seconds since 1970.
        case at(Double)
        case notNumber
    }

    private let issuer: String?
    private let signer: String?
    private let client: String?
    public let expiration: Expiration

    init(_ header: JSONValue) {
        issuer = header[member: "iss"]?.string
        signer = header[member: "signer"]?.string
        client = header[member: "client"]?.string
        expiration = header[member: "exp"].map { $0.real.map(Expiration.at) ?? .notNumber } ?? .absent
    }

    /// Text of a member. Nil if the member is absent or not a string.
    public subscript(member: Member) -> String? {
        switch member {
        case .issuer: issuer
        case .signer: signer
        case .client: client
        }
    }
}
