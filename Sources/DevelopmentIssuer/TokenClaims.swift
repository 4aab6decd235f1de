import StrictJSON

/// Claims set of a token that is being made (RFC 9068 §2.2).
struct TokenClaims {
    let issuer: String
    let request: TokenRequest
    /// Time of issue, in seconds since 1970.
    let now: Int
    /// Value of `jti`.
    let tokenID: String

    /// Number of seconds from issue to expiry, for a token that is issued as already expired.
    private static let ageOfExpiredTokens = 3600

    func json() throws(MintingFailure) -> String {
        let extra = try extraMembers()
        let replaced = request.omittedClaims.union(extra.map(\.name))
        return JSONObjectWriter.text { writer, bytes in
            for claim in StandardClaim.allCases where !replaced.contains(claim.rawValue) {
                write(claim, with: &writer, into: &bytes)
            }
            for member in extra { writer.member(member.name, value: member.value, into: &bytes) }
        }
    }

    private func extraMembers() throws(MintingFailure) -> [(name: String, value: JSONValue)] {
        guard let text = request.extraClaims else { return [] }
        guard let root = try? JSONDocument(parsing: Array(text.utf8), limits: .claimsSet).root, root.kind == .object
        else {
            throw .claimsNotJSONObject
        }
        return root.members.map { member in (member.name, member.value) }
    }

    private func write(_ claim: StandardClaim, with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        let name = claim.rawValue
        switch claim {
        case .issuer: writer.member(name, string: issuer, into: &bytes)
        case .subject: writer.member(name, string: request.subject ?? request.client, into: &bytes)
        case .audience: writer.audiences(request.audiences, into: &bytes)
        case .expirationTime: writer.member(name, integer: expirationTime, into: &bytes)
        case .issuedAt: writer.member(name, integer: issuedAt, into: &bytes)
        case .tokenID: writer.member(name, string: tokenID, into: &bytes)
        case .clientID: writer.member(name, string: request.client, into: &bytes)
        case .scope:
            guard !request.scopes.isEmpty else { return }
            writer.member(name, string: request.scopes.joined(separator: " "), into: &bytes)
        }
    }

    private var expirationTime: Int {
        now + Int(request.lifetime.components.seconds)
    }

    private var issuedAt: Int {
        request.lifetime > .zero ? now : expirationTime - Self.ageOfExpiredTokens
    }
}

/// Claims that every token has, unless the request omits them.
private enum StandardClaim: String, CaseIterable {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case expirationTime = "exp"
    case issuedAt = "iat"
    case tokenID = "jti"
    case clientID = "client_id"
    case scope
}

extension JSONObjectWriter {
    /// Writes `aud`: a text for one audience, an array for several, nothing for none.
    mutating func audiences(_ audiences: [String], into bytes: inout [UInt8]) {
        if let only = audiences.first, audiences.count == 1 {
            member("aud", string: only, into: &bytes)
        } else if !audiences.isEmpty {
            member("aud", strings: audiences, into: &bytes)
        }
    }
}
