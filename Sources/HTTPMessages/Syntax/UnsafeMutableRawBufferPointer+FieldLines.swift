import NetworkNames

extension UnsafeMutableRawBufferPointer {
    /// Copies bytes into reserved space.
    @inline(__always)
    func put(_ bytes: Span<UInt8>, at start: Int) {
        // SAFETY: compared here, because a slice of a raw buffer is not checked in a release build.
        guard start >= 0, bytes.count <= count &- start else { return }
        unsafe bytes.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(rebasing: self[start..<start &+ $0.count]).copyMemory(from: $0)
        }
    }

    /// Writes a field line, including its line end, into reserved space.
    @inline(__always)
    func putLine(_ name: Span<UInt8>, _ value: Span<UInt8>, at start: Int) {
        let colon = start &+ name.count
        let end = colon &+ 2 &+ value.count
        // SAFETY: compared here, as above.
        guard let base = baseAddress, start >= 0, end &+ 2 <= count else { return }
        unsafe base.advanced(by: start).copy(name)
        // in bounds: `end` was compared, and the colon is before it
        unsafe self[colon] = ASCII.colon
        unsafe self[colon &+ 1] = ASCII.space
        unsafe base.advanced(by: colon &+ 2).copy(value)
        // in bounds: `end` was compared
        unsafe self[end] = ASCII.carriageReturn
        unsafe self[end &+ 1] = ASCII.lineFeed
    }
}

extension UnsafeMutableRawPointer {
    /// Copies bytes. Not checked: that they fit.
    @unsafe
    @inline(__always)
    fileprivate func copy(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { source in
            guard let from = source.baseAddress else { return }
            unsafe copyMemory(from: from, byteCount: source.count)
        }
    }
}
