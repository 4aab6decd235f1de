/// Limits of everything besides the data in a chunked body, in bytes unless noted otherwise.
public struct ChunkLimits: Hashable, Sendable {
    /// One chunk's extensions, from the first semicolon to the line end.
    public var chunkExtension: Int

    /// The extensions of all chunks of a body.
    public var chunkExtensions: Int

    /// The trailer section, line ends included.
    public var trailers: Int

    /// The number of trailer fields.
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
