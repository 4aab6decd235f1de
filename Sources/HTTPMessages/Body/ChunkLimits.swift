/// Limits of everything in a chunked body except its data, in bytes unless stated otherwise.
public struct ChunkLimits: Hashable, Sendable {
    /// Limit of the size of one chunk's extensions, from the first semicolon to the line end.
    public var chunkExtension: Int

    /// Limit of the size of the extensions of all chunks of a body together.
    public var chunkExtensions: Int

    /// Limit of the size of the trailer section, including line ends.
    public var trailers: Int

    /// Limit of the number of trailer fields.
    public var trailerFields: Int

    public init(
        chunkExtension: Int = 256, chunkExtensions: Int = 4 * 1024 - 1, trailers: Int = 8 * 1024,
        trailerFields: Int = 100
    ) {
        self.chunkExtension = chunkExtension
        self.chunkExtensions = chunkExtensions
        self.trailers = trailers
        self.trailerFields = trailerFields
    }
}
