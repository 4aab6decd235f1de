import StrictJSON

/// State of the file of `--shadow`, and what its comparisons found since the start.
public struct ShadowState: Sendable, Hashable {
    /// Number of successful loads. 0 if the file was never loaded.
    public let generation: Int
    /// Reason why the last load failed. Nil if it succeeded.
    public let lastError: String?
    /// Requests that it would answer in the same way.
    public let same: UInt64
    /// Requests that it would answer in another way.
    public let different: UInt64
    /// Requests for which that is not known.
    public let unknown: UInt64

    public init(generation: Int, lastError: String?, same: UInt64, different: UInt64, unknown: UInt64) {
        (self.generation, self.lastError) = (generation, lastError)
        (self.same, self.different, self.unknown) = (same, different, unknown)
    }
}

extension ShadowState {
    /// Writes the state as members.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("generation", integer: generation, into: &bytes)
        json.member("last_error", optional: lastError, into: &bytes)
        json.member("same", integer: Int64(clamping: same), into: &bytes)
        json.member("different", integer: Int64(clamping: different), into: &bytes)
        json.member("unknown", integer: Int64(clamping: unknown), into: &bytes)
    }
}
