import CNGHTTP2

/// The library's callbacks and options and its memory: made once for an event loop, copied by every session.
@safe final class LibraryConfiguration {
    let memory = LibraryMemory()
    /// Nil only without memory.
    let callbacks: OpaquePointer?
    let options: OpaquePointer?

    init() {
        var callbacks: OpaquePointer?
        unsafe nghttp2_session_callbacks_new(&callbacks)
        unsafe self.callbacks = callbacks
        var options: OpaquePointer?
        unsafe nghttp2_option_new(&options)
        unsafe self.options = options
        if let callbacks = unsafe callbacks { unsafe LibraryCallbacks.install(in: callbacks) }
        if let options = unsafe options { unsafe Self.set(options) }
    }

    deinit {
        unsafe nghttp2_session_callbacks_del(callbacks)
        unsafe nghttp2_option_del(options)
    }

    /// SAFETY: the options are ours until they are deleted.
    private static func set(_ options: OpaquePointer) {
        unsafe nghttp2_option_set_no_auto_window_update(options, 1)
        // Otherwise up to as many closed streams are kept as may be open.
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        // What we encode is in no table that a later request could be measured against (RFC 7541 §7.1).
        unsafe nghttp2_option_set_max_deflate_dynamic_table_size(options, 0)
        // Its counts ignore the work between frames, and end with INTERNAL_ERROR: ``FrameMeter`` is in their
        // place. It counts one CONTINUATION several times if its head arrives in pieces.
        unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1 << 40, 1 << 40)
        unsafe nghttp2_option_set_max_continuations(options, 16 &* FrameMeter.sectionFrames)
        // The caller bounds heads. Buffers grow by need, not by this.
        unsafe nghttp2_option_set_max_send_header_block_length(options, 1 << 20)
    }

    /// The functions by which a session allocates.
    ///
    /// SAFETY: the memory outlives the sessions, which hold this object.
    func allocator() -> nghttp2_mem {
        unsafe nghttp2_mem(
            mem_user_data: Unmanaged.passUnretained(memory).toOpaque(),
            malloc: { size, memory in unsafe LibraryConfiguration.memory(memory) { unsafe $0.allocate(size) } },
            free: { block, memory in unsafe LibraryConfiguration.memory(memory) { unsafe $0.free(block) } },
            calloc: { count, size, memory in
                unsafe LibraryConfiguration.memory(memory) { unsafe $0.allocateZeroed(count, size) }
            },
            realloc: { block, size, memory in
                unsafe LibraryConfiguration.memory(memory) { unsafe $0.reallocate(block, size) }
            })
    }

    @inline(__always)
    private static func memory<Result>(_ pointer: UnsafeMutableRawPointer?, _ body: (LibraryMemory) -> Result?)
        -> Result?
    {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe Unmanaged<LibraryMemory>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
    }
}

@available(*, unavailable)
extension LibraryConfiguration: Sendable {}
