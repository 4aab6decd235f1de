import NIOSSL

/// The operator's own trust anchors (`ca_file`). They are read again for each fetch, so that a replaced file takes
/// effect at the next one.
enum TrustAnchorFile {
    /// Largest file, in bytes. Several times larger than the largest public bundle.
    static let limit = 4 * 1024 * 1024

    static func read(_ path: String) async throws(KeySetFetchFailure) -> [NIOSSLCertificate] {
        let bytes: [UInt8]
        do {
            bytes = try await WatchedFile(path: path).read(limit: limit)
        } catch {
            throw .caFileUnusable(path: path, reason: error.reason)
        }
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
            throw .caFileUnusable(path: path, reason: "it holds no PEM certificates")
        }
        return certificates
    }
}
