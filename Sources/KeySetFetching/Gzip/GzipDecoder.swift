import CZlib

/// Decoder for gzip (RFC 1952), with zlib.
public enum GzipDecoder {
    /// Decodes one or more consecutive members (§2.2) and returns their content.
    ///
    /// - Parameter limit: size limit of the content in bytes. Decoding never takes more memory than this.
    public static func decode(_ bytes: [UInt8], limit: Int) throws(GzipRejection) -> [UInt8] {
        let inflation = try Inflation()
        // One byte more than the limit: content that fills the buffer is too long.
        var content = [UInt8](repeating: 0, count: max(0, limit) &+ 1)
        let length = try unsafe bytes.withUnsafeBufferPointer { bytes throws(GzipRejection) in
            try unsafe content.withUnsafeMutableBufferPointer { content throws(GzipRejection) in
                try unsafe inflation.decode(bytes, into: content)
            }
        }
        guard length < content.count else { throw .tooLong }
        content.removeLast(content.count &- length)
        return content
    }
}

/// A zlib stream for one decoding. SAFETY: the only owner of its stream, which it frees; no pointer outlives a call.
@safe private struct Inflation: ~Copyable {
    /// The stream, at a fixed address, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws(GzipRejection) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // The largest window, and the gzip format only.
        let started = unsafe inflateInit2_(
            stream, 15 + 16, ZLIB_VERSION, Int32(truncatingIfNeeded: MemoryLayout<z_stream>.size))
        guard started == Z_OK else { throw .outOfMemory }
    }

    deinit {
        // A stream that failed to start has no state, and zlib does nothing.
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decodes all members.
    ///
    /// - Returns: the number of bytes written. If the content does not fit, the size of the buffer.
    borrowing func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, into content: UnsafeMutableBufferPointer<UInt8>
    ) throws(GzipRejection) -> Int {
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count)
        unsafe stream.pointee.next_out = content.baseAddress
        unsafe stream.pointee.avail_out = UInt32(clamping: content.count)
        while true {
            let result = unsafe inflate(stream, Z_NO_FLUSH)
            let (rest, room) = unsafe (stream.pointee.avail_in, Int(stream.pointee.avail_out))
            guard result != Z_MEM_ERROR else { throw .outOfMemory }
            if room == 0 { return content.count }
            // All input was passed, so a member that has not ended is truncated.
            guard result == Z_STREAM_END else { throw .notGzip }
            guard rest > 0 else { return content.count &- room }
            guard unsafe inflateReset(stream) == Z_OK else { throw .notGzip }
        }
    }
}
