import StrictJSON
import TokenVerification

/// State of the configuration file in force.
public struct FileState: Sendable, Hashable {
    /// Number of the running configuration: 1 at the start, one more with each reload.
    public let generation: Int
    /// Time of the last successful load. Nil if there was none.
    public let loadedAt: NumericDate?
    /// SHA-256 of the bytes of the file, as `sha256sum` prints it. Nil only if libcrypto failed.
    public let digest: String?
    /// Reason why the last load failed. Nil if it succeeded.
    public let lastError: String?

    public init(generation: Int, loadedAt: NumericDate?, digest: String?, lastError: String?) {
        (self.generation, self.loadedAt, self.digest, self.lastError) = (generation, loadedAt, digest, lastError)
    }
}

extension FileState {
    /// Writes the state as members.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("generation", integer: generation, into: &bytes)
        json.member("loaded_at", optional: loadedAt?.description, into: &bytes)
        json.member("sha256", optional: digest, into: &bytes)
        json.member("last_error", optional: lastError, into: &bytes)
    }
}
