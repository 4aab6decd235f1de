import JOSE
import StrictJSON

extension KeySetConfiguration {
    /// Identity of a key set. Two configurations with the same identity fetch the same document, in the same way and
    /// with the same trust anchors.
    public struct Identity: Sendable, Hashable {
        let source: KeySetSource
        let expectedIssuer: String?
        let keysBelow: String?
        let caFile: String?
        let allowsPlainHTTP: Bool
        let credentials: KeySetCredentials?
        let keyUse: KeyUse
    }

    public var identity: Identity {
        Identity(
            source: source,
            expectedIssuer: source.hasMetadata ? issuer : nil,
            keysBelow: source.hasMetadata ? keysBelow : nil,
            caFile: caFile,
            allowsPlainHTTP: allowsPlainHTTP,
            credentials: credentials,
            keyUse: keyUse,
        )
    }
}

extension KeySetConfiguration.Identity {
    /// The identity as one JSON object. Two texts are equal exactly if the identities are.
    var text: [UInt8] {
        JSONObjectWriter.object { writeMembers(with: &$0, into: &$1) }
    }

    /// Writes the object of ``text`` as a member of another object.
    func write(as name: String, with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.beginObject(name, into: &bytes)
        writeMembers(with: &writer, into: &bytes)
        writer.end(into: &bytes)
    }

    private func writeMembers(with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.member("kind", string: source.kind, into: &bytes)
        writer.member("at", string: source.description, into: &bytes)
        if let keyID = source.soleKeyID { writer.member("kid", string: keyID, into: &bytes) }
        if let expectedIssuer { writer.member("issuer", string: expectedIssuer, into: &bytes) }
        if let keysBelow { writer.member("keys_below", string: keysBelow, into: &bytes) }
        if let caFile { writer.member("ca_file", string: caFile, into: &bytes) }
        writer.member("plain_http", boolean: allowsPlainHTTP, into: &bytes)
        if keyUse != .signatures { writer.member("use", string: keyUse.rawValue, into: &bytes) }
        if let file = credentials?.authorizationFile { writer.member("authorization_file", string: file, into: &bytes) }
        guard let certificate = credentials?.certificate else { return }
        writer.member("certificate", string: certificate.certificate, into: &bytes)
        writer.member("key", string: certificate.key, into: &bytes)
    }

    /// Name of the file that stores the last valid key set. It has a fixed length and contains no characters of a path.
    /// Nil only if libcrypto failed.
    public var fileName: String? {
        SHA256.hexadecimal(of: String(decoding: text, as: UTF8.self)).map { "\($0).json" }
    }
}
