import JOSE
import StrictJSON

extension KeySetConfiguration {
    /// Identity of a key set: two configurations with the same one fetch the same document, over the same way and with
    /// the same trust.
    public struct Identity: Sendable, Hashable {
        let source: KeySetSource
        let expectedIssuer: String?
        let caFile: String?
        let allowsPlainHTTP: Bool
        let credentials: KeySetCredentials?
        let keyUse: KeyUse
    }

    public var identity: Identity {
        Identity(
            source: source,
            expectedIssuer: source.hasMetadata ? issuer : nil,
            caFile: caFile,
            allowsPlainHTTP: allowsPlainHTTP,
            credentials: credentials,
            keyUse: keyUse,
        )
    }
}

extension KeySetConfiguration.Identity {
    /// The same for equal identities and for no others: one JSON object.
    var text: [UInt8] {
        JSONObjectWriter.object { writeMembers(with: &$0, into: &$1) }
    }

    /// Writes the same object as a member of another.
    func write(as name: String, with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.beginObject(name, into: &bytes)
        writeMembers(with: &writer, into: &bytes)
        writer.end(into: &bytes)
    }

    private func writeMembers(with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.member("kind", string: source.kind, into: &bytes)
        writer.member("at", string: source.description, into: &bytes)
        if let expectedIssuer { writer.member("issuer", string: expectedIssuer, into: &bytes) }
        if let caFile { writer.member("ca_file", string: caFile, into: &bytes) }
        writer.member("plain_http", boolean: allowsPlainHTTP, into: &bytes)
        if keyUse != .signatures { writer.member("use", string: keyUse.rawValue, into: &bytes) }
        if let file = credentials?.authorizationFile { writer.member("authorization_file", string: file, into: &bytes) }
        guard let certificate = credentials?.certificate else { return }
        writer.member("certificate", string: certificate.certificate, into: &bytes)
        writer.member("key", string: certificate.key, into: &bytes)
    }

    /// The name of the file where the last good set is kept: of fixed length, and nothing in it is a path's; nil only
    /// if libcrypto failed.
    public var fileName: String? {
        SHA256.hexadecimal(of: String(decoding: text, as: UTF8.self)).map { "\($0).json" }
    }
}
