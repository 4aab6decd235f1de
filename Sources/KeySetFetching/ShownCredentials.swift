import KeySets
import NIOSSL

/// Credentials for an issuer's server, as read from their files. They are read again for each fetch, so that a replaced
/// file takes effect at the next one.
struct ShownCredentials: Sendable {
    /// Value of `Authorization`. Nil if none is sent.
    var authorization: String?
    var certificate: [NIOSSLCertificateSource] = []
    var key: NIOSSLPrivateKeySource?

    /// No credentials, for a URL that must not receive any.
    static let none = ShownCredentials()

    /// Largest file with a certificate chain or a key, in bytes. Far larger than the longest chain.
    private static let certificateLimit = 1024 * 1024

    static func read(_ credentials: KeySetCredentials) async throws(KeySetFetchFailure) -> ShownCredentials {
        var shown = ShownCredentials()
        if let path = credentials.authorizationFile { shown.authorization = try await authorization(path) }
        guard let files = credentials.certificate else { return shown }
        let chain = try await content(files.certificate, limit: certificateLimit)
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(chain), !certificates.isEmpty else {
            throw .credentialsUnusable(path: files.certificate, reason: "it holds no PEM certificates")
        }
        let secret = try await content(files.key, limit: certificateLimit)
        guard let key = try? NIOSSLPrivateKey(bytes: secret, format: .pem) else {
            throw .credentialsUnusable(path: files.key, reason: "it holds no PEM private key")
        }
        shown.certificate = certificates.map { .certificate($0) }
        shown.key = .privateKey(key)
        return shown
    }

    private static func authorization(_ path: String) async throws(KeySetFetchFailure) -> String {
        let bytes = try await content(path, limit: AuthorizationFileContent.limit)
        do {
            return try AuthorizationFileContent(bytes).value
        } catch {
            throw .credentialsUnusable(path: path, reason: error.reason)
        }
    }

    private static func content(_ path: String, limit: Int) async throws(KeySetFetchFailure) -> [UInt8] {
        do {
            return try await WatchedFile(path: path).read(limit: limit)
        } catch {
            throw .credentialsUnusable(path: path, reason: error.reason)
        }
    }
}
