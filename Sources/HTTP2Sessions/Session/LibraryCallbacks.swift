import CNGHTTP2

/// C callbacks of the library (nghttp2). Each forwards to the session, which only records.
///
/// On purpose there is no callback for invalid fields. One that returns 0 makes the library silently drop the field,
/// and a request would be forwarded without its `authorization`.
enum LibraryCallbacks {
    private static let isTemporal = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue

    static func install(in callbacks: OpaquePointer) {
        unsafe installForReading(callbacks)
        unsafe installForWriting(callbacks)
    }

    private static func installForReading(_ callbacks: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, owner in
            unsafe LibraryCallbacks.with(owner, frame) { session, frame in
                let isRequest = unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
                return unsafe session.fieldSectionBegan(frame.pointee.hd.stream_id, isRequest: isRequest)
                    ? 0 : LibraryCallbacks.isTemporal
            }
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameCount, value, valueCount, flags, owner in
            unsafe LibraryCallbacks.with(owner, name) { session, name in
                // SAFETY: the library passes both with their lengths, valid during the call.
                let isNeverIndexed = flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0
                let isKept = unsafe session.fieldReceived(
                    UnsafeBufferPointer(start: name, count: nameCount).span,
                    UnsafeBufferPointer(start: value, count: valueCount).span, isNeverIndexed: isNeverIndexed)
                return isKept ? 0 : LibraryCallbacks.isTemporal
            }
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
            unsafe LibraryCallbacks.with(owner, frame) { session, frame in
                unsafe LibraryCallbacks.received(frame, session)
            }
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, number, bytes, count, owner in
            unsafe LibraryCallbacks.with(owner, bytes) { session, bytes in
                session.contentReceived(number, at: UInt(bitPattern: bytes), count: count)
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, number, code, owner in
            unsafe LibraryCallbacks.with(owner) { session in
                session.streamClosed(number, HTTP2ErrorCode(rawValue: code))
                return 0
            }
        }
    }

    private static func received(_ frame: UnsafePointer<nghttp2_frame>, _ session: HTTP2Session) -> Int32 {
        // SAFETY: the frame's type selects the member of the union.
        let head = unsafe frame.pointee.hd
        let endsStream = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isAcknowledgement = head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch FrameScanner.Frame.Kind(rawValue: head.type) {
        case .headers: session.fieldSectionEnded(head.stream_id, endsStream: endsStream)
        case .data: if endsStream { session.contentEnded(head.stream_id) }
        case .resetStream:
            session.resetReceived(head.stream_id, HTTP2ErrorCode(rawValue: unsafe frame.pointee.rst_stream.error_code))
        case .settings: if !isAcknowledgement { session.record(.settings) }
        case .ping:
            guard isAcknowledgement else { break }
            let payload = unsafe withUnsafeBytes(of: frame.pointee.ping.opaque_data) {
                unsafe $0.loadUnaligned(as: UInt64.self)
            }
            session.record(.pingAcknowledged(UInt64(bigEndian: payload)))
        case .goAway:
            let (last, code) = unsafe (frame.pointee.goaway.last_stream_id, frame.pointee.goaway.error_code)
            session.record(.goAway(lastStream: last, HTTP2ErrorCode(rawValue: code)))
        case .priority, .pushPromise, .windowUpdate, .continuation, nil: break
        }
        return 0
    }

    private static func installForWriting(_ callbacks: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, owner in
            unsafe LibraryCallbacks.with(owner, frame) { session, frame in
                let head = unsafe frame.pointee.hd
                let code = unsafe LibraryCallbacks.errorCode(of: frame)
                session.frameSent(head.type, head.stream_id, length: head.length, flags: head.flags, code)
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, owner in
            unsafe LibraryCallbacks.with(owner, frame) { session, frame in
                unsafe session.frameNotSent(frame.pointee.hd.type, frame.pointee.hd.stream_id)
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, head, count, source, owner in
            guard let source = unsafe source, let frame = unsafe frame else {
                return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
            }
            let (slot, number) = unsafe (source.pointee.fd, frame.pointee.hd.stream_id)
            return unsafe LibraryCallbacks.with(owner, head) { session, head in
                // SAFETY: the head of a frame is nine bytes.
                guard unsafe session.sendContent(slot, number, UnsafeBufferPointer(start: head, count: 9), count) else {
                    return LibraryCallbacks.isTemporal
                }
                // Pause after every frame, so that the loop in `pull` checks its limit.
                return NGHTTP2_ERR_PAUSE.rawValue
            }
        }
    }

    private static func errorCode(of frame: UnsafePointer<nghttp2_frame>) -> HTTP2ErrorCode {
        switch unsafe FrameScanner.Frame.Kind(rawValue: frame.pointee.hd.type) {
        case .resetStream: unsafe HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)
        case .goAway: unsafe HTTP2ErrorCode(rawValue: frame.pointee.goaway.error_code)
        default: .noError
        }
    }

    // MARK: Content to be sent

    /// Data provider for a stream's content. It holds a slot instead of a pointer, so nothing can dangle.
    static func content(of slot: Int32) -> nghttp2_data_provider {
        unsafe nghttp2_data_provider(source: nghttp2_data_source(fd: slot)) {
            _, number, buffer, count, flags, source, owner in
            guard let source = unsafe source, let flags = unsafe flags, let owner = unsafe owner else {
                return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
            }
            // SAFETY: the library passes a buffer of this many bytes.
            let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
            return unsafe Unmanaged<HTTP2Session>.fromOpaque(owner)._withUnsafeGuaranteedRef { session in
                unsafe LibraryCallbacks.read(
                    session.readContent(number, source.pointee.fd, into: target), &flags.pointee)
            }
        }
    }

    private static func read(_ step: ContentStep, _ flags: inout UInt32) -> Int {
        switch step {
        case .deferred: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .failed: return Int(isTemporal)
        case .content(let count, let isCopied, let end):
            if !isCopied { flags |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue }
            if end != .none { flags |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            if end == .trailers { flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue }
            return count
        }
    }

    // MARK: The session behind a callback

    /// SAFETY: the session owns the library session that calls back, so it outlives the call.
    @inline(__always)
    private static func with(_ owner: UnsafeMutableRawPointer?, _ body: (HTTP2Session) -> Int32) -> Int32 {
        guard let owner = unsafe owner else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
        return unsafe Unmanaged<HTTP2Session>.fromOpaque(owner)._withUnsafeGuaranteedRef(body)
    }

    @inline(__always)
    private static func with<Argument>(
        _ owner: UnsafeMutableRawPointer?, _ argument: UnsafePointer<Argument>?,
        _ body: (HTTP2Session, UnsafePointer<Argument>) -> Int32
    ) -> Int32 {
        guard let argument = unsafe argument else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
        return unsafe with(owner) { unsafe body($0, argument) }
    }
}
