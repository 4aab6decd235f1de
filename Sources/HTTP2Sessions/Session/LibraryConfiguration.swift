import CNGHTTP2

/// The library's callbacks and options and its memory: made once for an event loop, copied by every session.
@safe final class LibraryConfiguration {
    let memory = LibraryMemory()
    /// Nil only without memory.
    let callbacks: OpaquePointer?
    let serverOptions: OpaquePointer?
    let clientOptions: OpaquePointer?

    /// Bytes of the table of what a client is sent, by RFC 7541 §4.1; room for what a few origins' pages are told.
    static let tableSize = 1024

    init() {
        var callbacks: OpaquePointer?
        unsafe nghttp2_session_callbacks_new(&callbacks)
        unsafe self.callbacks = callbacks
        unsafe serverOptions = Self.options(tableSize: Self.tableSize)
        // What a server of ours is sent is in no table that a later request could be measured against (RFC 7541 §7.1).
        unsafe clientOptions = Self.options(tableSize: 0)
        if let callbacks = unsafe callbacks { unsafe LibraryCallbacks.install(in: callbacks) }
    }

    deinit {
        unsafe nghttp2_session_callbacks_del(callbacks)
        unsafe nghttp2_option_del(serverOptions)
        unsafe nghttp2_option_del(clientOptions)
    }

    /// SAFETY: the options are the caller's until they are deleted.
    ///
    /// - Returns: nil only without memory.
    private static func options(tableSize: Int) -> OpaquePointer? {
        var made: OpaquePointer?
        unsafe nghttp2_option_new(&made)
        guard let options = unsafe made else { return nil }
        unsafe nghttp2_option_set_no_auto_window_update(options, 1)
        // Otherwise up to as many closed streams are kept as may be open.
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        unsafe nghttp2_option_set_max_deflate_dynamic_table_size(options, tableSize)
        // Its counts ignore the work between frames, and end with INTERNAL_ERROR: ``FrameMeter`` is in their
        // place. It counts one CONTINUATION several times if its head arrives in pieces.
        unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1 << 40, 1 << 40)
        unsafe nghttp2_option_set_max_continuations(options, 16 &* FrameMeter.sectionFrames)
        // The caller bounds heads. Buffers grow by need, not by this.
        unsafe nghttp2_option_set_max_send_header_block_length(options, 1 << 20)
        return unsafe options
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
