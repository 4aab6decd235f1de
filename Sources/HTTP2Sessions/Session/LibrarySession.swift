import CNGHTTP2
import NIOCore

/// An nghttp2 session and all calls on it; deleted with this value.
///
/// Do not call these from one of the library's callbacks unless the comment allows it. The library is not re-entrant,
/// and an event can make the caller call anything.
@safe struct LibrarySession: ~Copyable {
    /// Nil only if memory ran out.
    private let session: OpaquePointer?
    /// Keeps the session's memory alive.
    private let configuration: LibraryConfiguration
    /// True if sent fields may be added to a compression table.
    private let hasTable: Bool

    init(client isClient: Bool, _ configuration: LibraryConfiguration) {
        self.configuration = configuration
        hasTable = !isClient
        var session: OpaquePointer?
        var memory = unsafe configuration.allocator()
        if isClient {
            unsafe nghttp2_session_client_new3(
                &session, configuration.callbacks, nil, configuration.clientOptions, &memory)
        } else {
            unsafe nghttp2_session_server_new3(
                &session, configuration.callbacks, nil, configuration.serverOptions, &memory)
        }
        unsafe self.session = session
    }

    deinit {
        // Deletion calls no callback, not even for open streams.
        unsafe nghttp2_session_del(session)
    }

    /// - Parameter owner: Session that receives the callbacks; it owns this value.
    func setOwner(_ owner: HTTP2Session) {
        unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(owner).toOpaque())
    }

    // MARK: Reading and writing

    /// Reads bytes. Callbacks record their meaning.
    ///
    /// - Returns: A negative number if the session cannot continue.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        return unsafe nghttp2_session_mem_recv(session, base.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// Serializes at least one frame, and stops after a frame whose content is not copied.
    ///
    /// - Returns: Bytes that are valid until the next call. Empty if there is nothing to send, or the frame went to the
    ///   output directly. Nil if the session cannot continue.
    func send() -> UnsafeBufferPointer<UInt8>? {
        var bytes: UnsafePointer<UInt8>?
        let count = unsafe nghttp2_session_mem_send(session, &bytes)
        guard count >= 0 else { return nil }
        return unsafe UnsafeBufferPointer(start: bytes, count: count)
    }

    var wantsInput: Bool { unsafe nghttp2_session_want_read(session) != 0 }
    var wantsOutput: Bool { unsafe nghttp2_session_want_write(session) != 0 }

    // MARK: Streams, also from callbacks

    /// Slot stored for the stream. Nil if there is none.
    func slot(of number: Int32) -> Int32? {
        guard let pointer = unsafe nghttp2_session_get_stream_user_data(session, number) else { return nil }
        return Int32(truncatingIfNeeded: Int(bitPattern: pointer) &- 1)
    }

    /// True if the stream is open.
    func knows(_ number: Int32) -> Bool { unsafe nghttp2_session_find_stream(session, number) != nil }

    func remember(slot: Int32, of number: Int32) {
        unsafe nghttp2_session_set_stream_user_data(
            session, number, UnsafeMutableRawPointer(bitPattern: Int(slot) &+ 1))
    }

    func reset(_ number: Int32, _ code: HTTP2ErrorCode) {
        unsafe nghttp2_submit_rst_stream(session, 0, number, code.rawValue)
    }

    /// True if the peer has ended its side of an open stream.
    func isEndedByPeer(_ number: Int32) -> Bool {
        unsafe nghttp2_session_get_stream_remote_close(session, number) != 0
    }

    /// Returns window to the peer, for the stream and the connection.
    func consume(_ number: Int32, _ count: Int) {
        unsafe nghttp2_session_consume(session, number, count)
    }

    /// Returns window to the peer for the connection only; the stream is closed.
    func consumeOfConnection(_ count: Int) {
        unsafe nghttp2_session_consume_connection(session, count)
    }

    /// Tells the library that a deferred stream has content again.
    func resume(_ number: Int32) {
        unsafe nghttp2_session_resume_data(session, number)
    }

    // MARK: Messages

    /// Submits an interim response.
    func submitInterim(_ number: Int32, _ fields: OutgoingFields) -> Bool {
        unsafe fields.withLibraryFields(hasTable: hasTable) {
            unsafe nghttp2_submit_headers(session, 0, number, nil, $0.baseAddress, $0.count, nil) >= 0
        }
    }

    /// - Parameter slot: Slot whose queue provides the content. Nil if the head ends the stream.
    func submitResponse(_ number: Int32, _ fields: OutgoingFields, contentOf slot: Int32?) -> Bool {
        unsafe fields.withLibraryFields(hasTable: hasTable) { fields in
            guard let slot else {
                return unsafe nghttp2_submit_response(session, number, fields.baseAddress, fields.count, nil) == 0
            }
            var content = unsafe LibraryCallbacks.content(of: slot)
            return unsafe nghttp2_submit_response(session, number, fields.baseAddress, fields.count, &content) == 0
        }
    }

    /// - Returns: The stream identifier, or a negative number on failure.
    func submitRequest(_ fields: OutgoingFields, slot: Int32, hasContent: Bool) -> Int32 {
        let pointer = unsafe UnsafeMutableRawPointer(bitPattern: Int(slot) &+ 1)
        return unsafe fields.withLibraryFields(hasTable: hasTable) { fields in
            guard hasContent else {
                return unsafe nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, nil, pointer)
            }
            var content = unsafe LibraryCallbacks.content(of: slot)
            return unsafe nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, &content, pointer)
        }
    }

    /// Submits a trailer section. Also callable from the callback that reads content.
    func submitTrailers(_ number: Int32, _ fields: OutgoingFields) -> Bool {
        unsafe fields.withLibraryFields(hasTable: hasTable) {
            unsafe nghttp2_submit_trailer(session, number, $0.baseAddress, $0.count) == 0
        }
    }

    // MARK: The connection

    func submitSettings(_ settings: [(id: Int32, value: UInt32)]) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: $0.id, value: $0.value) }
        unsafe nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    func setConnectionWindow(_ size: Int32) {
        unsafe nghttp2_session_set_local_window_size(session, 0, 0, size)
    }

    /// Submits a GOAWAY that refuses no stream yet.
    func submitShutdownNotice() {
        unsafe nghttp2_submit_shutdown_notice(session)
    }

    /// Submits a GOAWAY that refuses streams after the last reported one.
    func submitGoAway() {
        unsafe nghttp2_submit_goaway(session, 0, nghttp2_session_get_last_proc_stream_id(session), 0, nil, 0)
    }

    /// Closes the connection with a GOAWAY. Also callable from callbacks.
    func terminate(_ code: HTTP2ErrorCode) {
        unsafe nghttp2_session_terminate_session(session, code.rawValue)
    }

    /// Value of the peer's SETTINGS, or its default before they arrive.
    func peerSetting(_ id: UInt32) -> UInt32 {
        unsafe nghttp2_session_get_remote_settings(session, nghttp2_settings_id(id))
    }

    /// True if a request may be sent: no GOAWAY was received, and stream identifiers are left.
    var mayRequest: Bool { unsafe nghttp2_session_check_request_allowed(session) != 0 }
}

extension OutgoingFields {
    /// Converts the fields to the library's form. The library copies them before it returns.
    ///
    /// - Parameter hasTable: True if the library would add fields to a compression table. Sending a field as never
    ///   indexed is then its only way to send a literal.
    func withLibraryFields<Result>(
        hasTable: Bool, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: entries.count) { table in
                // SAFETY: the entries were made together with the bytes. The library does not write through the names.
                let base = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
                for (index, entry) in entries.enumerated() {
                    let field = unsafe nghttp2_nv(
                        name: base.map { unsafe $0.advanced(by: Int(entry.nameStart)) },
                        value: base.map { unsafe $0.advanced(by: Int(entry.nameEnd)) },
                        namelen: Int(entry.nameEnd &- entry.nameStart), valuelen: Int(entry.valueEnd &- entry.nameEnd),
                        flags: entry.indexing.flags(hasTable: hasTable))
                    unsafe table.initializeElement(at: index, to: field)
                }
                return unsafe body(table)
            }
        }
    }
}

extension FieldIndexing {
    fileprivate func flags(hasTable: Bool) -> UInt8 {
        switch self {
        case .never: UInt8(truncatingIfNeeded: NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        case .without: hasTable ? UInt8(truncatingIfNeeded: NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
        case .indexed: 0
        }
    }
}

/// Serialized output of a session: buffers in order. The last one still grows.
struct SessionOutput {
    private(set) var byteCount = 0
    private var pieces: ContiguousArray<ByteBuffer> = []
    private var first = 0
    /// Buffer after the pieces, to which new frames are copied. Nil until the next frame is copied.
    private var tail: ByteBuffer?

    /// Copies bytes to the end of the output.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ storage: HTTP2Storage) {
        byteCount &+= bytes.count
        if tail == nil { tail = storage.takeBuffer() }
        _ = unsafe tail?.writeBytes(UnsafeRawBufferPointer(bytes))
    }

    /// Copies a frame to the end of the output.
    mutating func append(copying frame: [UInt8], _ storage: HTTP2Storage) {
        byteCount &+= frame.count
        if tail == nil { tail = storage.takeBuffer() }
        tail?.writeBytes(frame)
    }

    /// Adds content to the end without copying it.
    mutating func append(piece: ByteBuffer) {
        byteCount &+= piece.readableBytes
        if let tail { pieces.append(tail) }
        tail = nil
        pieces.append(piece)
    }

    /// Overwrites a 32-bit number at a distance from the end of the output.
    mutating func overwrite(_ number: UInt32, fromEnd distance: Int) {
        guard let index = tail?.writerIndex else { return }
        tail?.setInteger(number, at: index &- distance)
    }

    mutating func next() -> ByteBuffer? {
        if first < pieces.count {
            let piece = pieces[first]
            pieces[first] = ByteBuffer()
            first &+= 1
            byteCount &-= piece.readableBytes
            return piece
        }
        pieces.removeAll(keepingCapacity: pieces.capacity <= 64)
        first = 0
        let last = tail.take()
        byteCount = 0
        return last
    }
}
