import StrictJSON
import TokenVerification

/// Status of the configurations for `/api/configuration`.
public struct ConfigurationStatus: Sendable, Hashable {
    /// Status of one file.
    public struct File: Sendable, Hashable {
        /// 1 at the start, one more each time that the file was put in place; 0: it never was.
        public let generation: Int
        /// Time at which it was loaded. Nil if it never was.
        public let loadedAt: NumericDate?
        /// Error that kept a later one from being put in force. Nil if the last one is in force.
        public let lastError: String?

        public init(generation: Int, loadedAt: NumericDate?, lastError: String?) {
            self.generation = generation
            self.loadedAt = loadedAt
            self.lastError = lastError
        }
    }

    public let inForce: File
    /// Status of the `--shadow` file. Nil without one.
    public let shadow: File?

    public init(inForce: File, shadow: File?) {
        self.inForce = inForce
        self.shadow = shadow
    }

    /// One JSON object; absent values are null.
    public var json: [UInt8] {
        var bytes: [UInt8] = []
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        inForce.write(&writer, into: &bytes)
        if let shadow {
            writer.beginObject("shadow", into: &bytes)
            shadow.write(&writer, into: &bytes)
            writer.end(into: &bytes)
        } else {
            writer.memberNull("shadow", into: &bytes)
        }
        writer.end(into: &bytes)
        return bytes
    }
}

extension ConfigurationStatus.File {
    fileprivate func write(_ writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.member("generation", integer: generation, into: &bytes)
        for (name, text) in [("loaded_at", loadedAt.map { "\($0)" }), ("last_error", lastError)] {
            if let text {
                writer.member(name, string: text, into: &bytes)
            } else {
                writer.memberNull(name, into: &bytes)
            }
        }
    }
}
