import CNGHTTP2
import NIOCore

/// The library's session and every call on it; deleted with this value.
///
/// None of these may be called from one of the library's callbacks except where it says so: the library is not
/// re-entrant, and what a caller's event leads to can be anything.
@safe struct LibrarySession: ~Copyable {
    /// Nil only without memory.
    private let session: OpaquePointer?
    /// Owns the memory of the session.
    private let configuration: LibraryConfiguration
    /// Whether what is sent may go into a compression table.
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
        // It calls no callback, not even for the streams that are open.
        unsafe nghttp2_session_del(session)
    }

    /// - Parameter owner: who hears of everything; it owns this value.
    func setOwner(_ owner: HTTP2Session) {
        unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(owner).toOpaque())
    }

    // MARK: Reading and writing

    /// Reads bytes; callbacks record what they mean.
    ///
    /// - Returns: a negative number if the session cannot go on.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        return unsafe nghttp2_session_mem_recv(session, base.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// Serializes one frame at least, or some and one whose content is not copied.
    ///
    /// - Returns: bytes that hold until the next call; none if there is nothing to send or the content went its own
    ///   way; nil if the session cannot go on.
    func send() -> UnsafeBufferPointer<UInt8>? {
        var bytes: UnsafePointer<UInt8>?
        let count = unsafe nghttp2_session_mem_send(session, &bytes)
        guard count >= 0 else { return nil }
        return unsafe UnsafeBufferPointer(start: bytes, count: count)
    }

    var wantsInput: Bool { unsafe nghttp2_session_want_read(session) != 0 }
    var wantsOutput: Bool { unsafe nghttp2_session_want_write(session) != 0 }

    // MARK: Streams, also from callbacks

    /// The slot that was remembered for a stream.
    func slot(of number: Int32) -> Int32? {
        guard let pointer = unsafe nghttp2_session_get_stream_user_data(session, number) else { return nil }
        return Int32(truncatingIfNeeded: Int(bitPattern: pointer) &- 1)
    }

    /// Whether a stream lives.
    func knows(_ number: Int32) -> Bool { unsafe nghttp2_session_find_stream(session, number) != nil }

    func remember(slot: Int32, of number: Int32) {
        unsafe nghttp2_session_set_stream_user_data(
            session, number, UnsafeMutableRawPointer(bitPattern: Int(slot) &+ 1))
    }

    func reset(_ number: Int32, _ code: HTTP2ErrorCode) {
        unsafe nghttp2_submit_rst_stream(session, 0, number, code.rawValue)
    }

    /// Whether the peer has ended its side of a stream that lives.
    func isEndedByPeer(_ number: Int32) -> Bool {
        unsafe nghttp2_session_get_stream_remote_close(session, number) != 0
    }

    /// Gives the peer's window back for content of a stream, and of the connection.
    func consume(_ number: Int32, _ count: Int) {
        unsafe nghttp2_session_consume(session, number, count)
    }

    /// The same for a stream that is over.
    func consumeOfConnection(_ count: Int) {
        unsafe nghttp2_session_consume_connection(session, count)
    }

    /// There is content again for a stream that had none.
    func resume(_ number: Int32) {
        unsafe nghttp2_session_resume_data(session, number)
    }

    // MARK: Messages

    /// An interim response, or a trailer section.
    func submitInterim(_ number: Int32, _ fields: OutgoingFields) -> Bool {
        unsafe fields.withLibraryFields(hasTable: hasTable) {
            unsafe nghttp2_submit_headers(session, 0, number, nil, $0.baseAddress, $0.count, nil) >= 0
        }
    }

    /// - Parameter slot: where its content comes from; nil if the head ends the stream.
    func submitResponse(_ number: Int32, _ fields: OutgoingFields, contentOf slot: Int32?) -> Bool {
        unsafe fields.withLibraryFields(hasTable: hasTable) { fields in
            guard let slot else {
                return unsafe nghttp2_submit_response(session, number, fields.baseAddress, fields.count, nil) == 0
            }
            var content = unsafe LibraryCallbacks.content(of: slot)
            return unsafe nghttp2_submit_response(session, number, fields.baseAddress, fields.count, &content) == 0
        }
    }

    /// - Returns: the number of the stream, or a negative one.
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

    /// Also from the callback that reads content.
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

    /// A GOAWAY that refuses nothing yet.
    func submitShutdownNotice() {
        unsafe nghttp2_submit_shutdown_notice(session)
    }

    /// A GOAWAY that refuses what comes behind the last stream that was reported.
    func submitGoAway() {
        unsafe nghttp2_submit_goaway(session, 0, nghttp2_session_get_last_proc_stream_id(session), 0, nil, 0)
    }

    /// Ends the connection with a GOAWAY; also from callbacks.
    func terminate(_ code: HTTP2ErrorCode) {
        unsafe nghttp2_session_terminate_session(session, code.rawValue)
    }

    /// A value of the peer's SETTINGS, or what holds before they arrive.
    func peerSetting(_ id: UInt32) -> UInt32 {
        unsafe nghttp2_session_get_remote_settings(session, nghttp2_settings_id(id))
    }

    /// Whether a request may be sent: not behind a GOAWAY, nor once the numbers are used up.
    var mayRequest: Bool { unsafe nghttp2_session_check_request_allowed(session) != 0 }
}

extension OutgoingFields {
    /// The fields as the library wants them; it copies them before it returns.
    ///
    /// - Parameter hasTable: whether the library would put fields into a table. It knows no other way to send one as a
    ///   literal then than as one that is never indexed.
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

/// What a session has serialized: pieces in order, of which the last is still written to.
struct SessionOutput {
    private(set) var byteCount = 0
    private var pieces: ContiguousArray<ByteBuffer> = []
    private var first = 0
    /// Behind the pieces.
    private var tail: ByteBuffer?

    /// Copies bytes behind the others.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ storage: HTTP2Storage) {
        byteCount &+= bytes.count
        if tail == nil { tail = storage.takeBuffer() }
        _ = unsafe tail?.writeBytes(UnsafeRawBufferPointer(bytes))
    }

    /// Copies a frame behind the others.
    mutating func append(copying frame: [UInt8], _ storage: HTTP2Storage) {
        byteCount &+= frame.count
        if tail == nil { tail = storage.takeBuffer() }
        tail?.writeBytes(frame)
    }

    /// Adds content without copying it.
    mutating func append(piece: ByteBuffer) {
        byteCount &+= piece.readableBytes
        if let tail { pieces.append(tail) }
        tail = nil
        pieces.append(piece)
    }

    /// Writes another number where one stands, counted from the end.
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
