import CNGHTTP2

/// Callbacks, options and memory of the library (nghttp2), made once for an event loop and used by every session.
@safe final class LibraryConfiguration {
    let memory = LibraryMemory()
    /// Nil only if memory ran out.
    let callbacks: OpaquePointer?
    let serverOptions: OpaquePointer?
    let clientOptions: OpaquePointer?

    /// Size of the compression table for responses to clients, in bytes (RFC 7541 §4.1). Fits the CORS fields of a few
    /// origins.
    static let tableSize = 1024

    init() {
        var callbacks: OpaquePointer?
        unsafe nghttp2_session_callbacks_new(&callbacks)
        unsafe self.callbacks = callbacks
        unsafe serverOptions = Self.options(tableSize: Self.tableSize)
        // Requests to upstreams use no table, so a later request cannot be probed against an earlier one (RFC 7541
        // §7.1).
        unsafe clientOptions = Self.options(tableSize: 0)
        if let callbacks = unsafe callbacks { unsafe LibraryCallbacks.install(in: callbacks) }
    }

    deinit {
        unsafe nghttp2_session_callbacks_del(callbacks)
        unsafe nghttp2_option_del(serverOptions)
        unsafe nghttp2_option_del(clientOptions)
    }

    /// SAFETY: the caller owns the options until they are deleted.
    ///
    /// - Returns: Nil only if memory ran out.
    private static func options(tableSize: Int) -> OpaquePointer? {
        var made: OpaquePointer?
        unsafe nghttp2_option_new(&made)
        guard let options = unsafe made else { return nil }
        unsafe nghttp2_option_set_no_auto_window_update(options, 1)
        // Otherwise the library keeps closed streams, up to the limit of open ones.
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        unsafe nghttp2_option_set_max_deflate_dynamic_table_size(options, tableSize)
        // The library's rate limits ignore the work between frames and close with INTERNAL_ERROR; ``FrameMeter``
        // replaces them. The library counts one CONTINUATION several times if its header arrives in pieces.
        unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1 << 40, 1 << 40)
        unsafe nghttp2_option_set_max_continuations(options, 16 &* FrameMeter.sectionFrames)
        // The caller bounds heads. Buffers grow as needed, not to this size.
        unsafe nghttp2_option_set_max_send_header_block_length(options, 1 << 20)
        return unsafe options
    }

    /// Functions with which a session allocates memory.
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
