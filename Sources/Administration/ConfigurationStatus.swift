import StrictJSON
import TokenVerification

/// Content of `/api/configuration`: the state of the running configuration and of the shadow configuration.
public struct ConfigurationStatus: Sendable, Hashable {
    /// State of one configuration file.
    public struct File: Sendable, Hashable {
        /// Number of successful loads, 1 at the start. 0 if the file was never loaded.
        public let generation: Int
        /// Time of the last successful load. Nil if there was none.
        public let loadedAt: NumericDate?
        /// The reason why the last load failed. Nil if it succeeded.
        public let lastError: String?

        public init(generation: Int, loadedAt: NumericDate?, lastError: String?) {
            self.generation = generation
            self.loadedAt = loadedAt
            self.lastError = lastError
        }
    }

    public let inForce: File
    /// The file of `--shadow`. Nil without that option.
    public let shadow: File?

    public init(inForce: File, shadow: File?) {
        self.inForce = inForce
        self.shadow = shadow
    }

    /// The status as a JSON object. Nil values are written as null.
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
