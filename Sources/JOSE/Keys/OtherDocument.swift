import StrictJSON

/// Kind of a document that is found instead of a key set, for a helpful error message.
public enum OtherDocument: Sendable, Hashable {
    case certificate, publicKey, privateKey
    /// A text in PEM with other content.
    case otherPEM
    /// The binary form of a key or certificate (X.690).
    case der
    /// HTML or XML.
    case markup
    /// A single JWK, not in a set.
    case singleKey
    /// A single private or symmetric JWK, not in a set.
    case singlePrivateKey
    /// An array of JWKs without the enclosing object.
    case arrayOfKeys
    /// Certificates by key ID, as Google publishes them beside its key sets.
    case certificatesByKeyID
    /// An issuer's metadata, which names the key set (RFC 8414 §2).
    case metadata
}

extension OtherDocument: CustomStringConvertible {
    /// Description to follow the document's name.
    public var description: String {
        switch self {
        case .certificate: "is a certificate in PEM, not a JWK set"
        case .publicKey: "is a public key in PEM, not a JWK set"
        case .privateKey: "is a private key in PEM, not a JWK set; Bearward must never have it"
        case .otherPEM: "is a text in PEM, not a JWK set"
        case .der: "is a key or certificate in DER, not a JWK set"
        case .markup: "is HTML or XML, not a JWK set"
        case .singleKey: #"is a single JWK, not a JWK set; write it as {"keys": [ … ]}"#
        case .singlePrivateKey: "is a single private or symmetric JWK, not a JWK set; Bearward must never have it"
        case .arrayOfKeys: #"is an array of JWKs, not a JWK set; write it as {"keys": [ … ]}"#
        case .certificatesByKeyID: "has certificates by key ID, which is not a JWK set"
        case .metadata: "is an issuer's metadata, not its JWK set; the set is at its `jwks_uri`"
        }
    }
}

// MARK: - Recognition

extension OtherDocument {
    /// Recognises a document that is not JSON. Nil if its kind is not known.
    init?(notJSON document: Span<UInt8>) {
        let text = Self.text(of: document)
        if let pem = Self.pem(in: text) {
            self = pem
        } else if Self.beginsAsDER(document) {
            self = .der
        } else if text.first(where: { !$0.isWhitespace }) == "<" {
            self = .markup
        } else {
            return nil
        }
    }

    /// Recognises JSON that has no list of keys. Nil if its kind is not known.
    init?(_ root: JSONValue) {
        if root.kind == .array {
            guard let first = root[index: 0], first[member: "kty"] != nil else { return nil }
            self = .arrayOfKeys
        } else if let keyType = root[member: "kty"] {
            let isSecret = keyType.isString(equalTo: "oct") || JSONWebKey.isPrivate(JWKMembers(root, .published))
            self = isSecret ? .singlePrivateKey : .singleKey
        } else if root[member: "jwks_uri"] != nil {
            self = .metadata
        } else if root.count > 0, root.members.allSatisfy({ Self.pem(in: $0.value.string ?? "") == .certificate }) {
            self = .certificatesByKeyID
        } else {
            return nil
        }
    }

    private static func text(of document: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.count)
        for index in document.indices { bytes.append(document[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Kind of the most important block of a text in PEM (RFC 7468 §2): a file may have a key beside its certificates.
    /// Nil if the text has no PEM block.
    private static func pem(in text: String) -> OtherDocument? {
        let labels = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("-----BEGIN ") }.map { line in
            line.drop { $0 == "-" }.prefix { $0 != "-" }
        }
        guard !labels.isEmpty else { return nil }
        if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) { return .privateKey }
        if labels.contains(where: { $0.hasSuffix("CERTIFICATE") }) { return .certificate }
        return labels.contains { $0.hasSuffix("PUBLIC KEY") } ? .publicKey : .otherPEM
    }

    /// True if the document begins with a DER sequence whose length is in the long form, as in every key and
    /// certificate.
    private static func beginsAsDER(_ document: Span<UInt8>) -> Bool {
        document.count >= 2 && document[0] == 0x30 && (0x81...0x84).contains(document[1])
    }
}
