import FoundationEssentials

/// A client's identifier and secret (RFC 6749 §2.3.1).
struct ClientCredentials: Sendable, Hashable {
    let client: String
    let secret: String

    init(client: String, secret: String) {
        self.client = client
        self.secret = secret
    }

    /// Reads an `Authorization` field of the Basic scheme. Both parts are form-encoded inside the Base64.
    init(basic field: String) throws(TokenEndpointError) {
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let decoded = Data(base64Encoded: String(words[1])),
            let pair = String(data: decoded, encoding: .utf8), let colon = pair.firstIndex(of: ":"),
            let client = FormParameters.decode(pair[..<colon]), !client.isEmpty,
            let secret = FormParameters.decode(pair[pair.index(after: colon)...])
        else { throw .malformedClientCredentials }
        self.init(client: client, secret: secret)
    }
}
