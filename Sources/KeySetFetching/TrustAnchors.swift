import NIOSSL

/// An operator's own trust anchors (`ca_file`), read anew for each fetch so that a replaced file counts from the next
/// one on.
enum TrustAnchors {
    /// Size limit of a bundle: several times the largest public one.
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
