import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings

/// One request and its response on a stream of an ``UpstreamSession``, for its current lessee.
///
/// It executes the actions of its ``UpstreamStreamState``. It holds received content that the lessee does not take yet,
/// never more than the stream's window. The object is pooled. It is reused once both session and lessee have released
/// it, so that nothing touches it after the last call to a lessee.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class UpstreamStream: UpstreamCarrier {
    /// Session that the stream belongs to. Nil while the stream is in the pool.
    @safe @exclusivity(unchecked) private var session: UpstreamSession?
    @safe @exclusivity(unchecked) private var lessee: (any UpstreamLessee)?
    @safe @exclusivity(unchecked) private var state = UpstreamStreamState()
    @safe @exclusivity(unchecked) private var terms = LeaseTerms()
    /// Handle of the stream in the session. Nil before the request is sent, and after the session has dropped the
    /// stream.
    @safe @exclusivity(unchecked) private(set) var handle: HTTP2Stream?
    /// True if the lessee must not write more of the request before the queue drains.
    @safe @exclusivity(unchecked) private var isPaused = false
    /// True if the session counts the stream as active.
    @safe @exclusivity(unchecked) private var isCounted = false

    // MARK: Received, and not relayed

    @safe @exclusivity(unchecked) private var head: ResponseHead?
    @safe @exclusivity(unchecked) private var content: ByteBuffer?
    @safe @exclusivity(unchecked) private var trailers: [UInt8] = []
    @safe @exclusivity(unchecked) private var isComplete = false

    /// Size in bytes up to which parts of a response are relayed together.
    private static let joined = 16 * 1024

    /// Attaches the stream to a session.
    ///
    /// - Parameter isShared: whether the session carried other requests before.
    func begin(on session: UpstreamSession, isShared: Bool) {
        self.session = session
        state = UpstreamStreamState(isShared: isShared)
        isCounted = true
    }

    // MARK: For the lessee

    var headForm: UpstreamHeadForm { .fields(session?.pool.target.security == nil ? .http : .https) }

    var mayRefuse: Bool { true }

    var isWritable: Bool { !isPaused }

    func lease(to lessee: any UpstreamLessee, _ terms: LeaseTerms) -> Bool {
        // The session may have ended since the stream was begun; then nothing of the request is written.
        guard let session, !session.isEnding, state.state == .idle else { return false }
        self.lessee = lessee
        self.terms = terms
        return true
    }

    func send(_ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8]) {
        guard let session else { return }
        let hasContent = (content?.readableBytes ?? 0) > 0
        if state.begin() {
            handle = session.submit(self, endsStream: ends && !hasContent && trailers.isEmpty)
            guard handle != nil else { return perform(state.refusedBeforehand()) }
        }
        if ends { state.requestSent() }
        guard let handle else { return }
        if hasContent, let content { isPaused = !session.append(content, to: handle) }
        if ends { session.end(handle, trailers: trailers) }
        session.write()
    }

    func resumeReading() {
        relay()
        // The session is nil if that was the end of the response.
        session?.resumeReading()
    }

    func abandon() {
        lessee = nil
        dropReceived()
        perform(state.abandoned())
    }

    func doubtSession() { session?.retire() }

    // A session carries no tunnels.

    func sendRaw(_ bytes: ByteBuffer) {}

    func endTunnelOutput() {}

    func endTunnel(_ lastBytes: ByteBuffer) { abandon() }

    // MARK: For the session

    var requestIsHEAD: Bool { terms.requestIsHEAD }

    func interimHeadReceived(_ head: ResponseHead) {
        perform(state.interimHeadReceived(), head)
    }

    /// Keeps the head, to relay it together with the content of the same read.
    func headReceived(_ head: ResponseHead) {
        perform(state.finalHeadReceived(), head)
    }

    func contentReceived(_ part: ByteBuffer) {
        guard part.readableBytes > 0, state.contentReceived() == .relayContent else { return }
        guard let held = content?.readableBytes else { return content = part }
        if held + part.readableBytes > Self.joined { relay() }
        // Copying bounds the memory held, however large the buffers of the parts are.
        if content?.writeImmutableBuffer(part) == nil { content = part }
    }

    /// Handles the end of the response.
    ///
    /// - Parameter trailers: lines of the trailer section.
    func responseReceived(trailers: [UInt8]) {
        let action = state.responseReceived()
        guard action != .none else { return }
        isComplete = true
        if terms.keepsTrailers { self.trailers = trailers }
        perform(action)
    }

    func malformed(_ fault: ResponseFault) { perform(state.malformed(fault)) }

    func queueDrained() {
        isPaused = false
        lessee?.upstreamBecameWritable()
    }

    /// Called when the session has dropped the stream.
    func ended(_ end: StreamEnd) {
        handle = nil
        // The upstream would refuse the next request as well.
        if end == .notProcessed { session?.end() }
        perform(state.ended(end, takesNoRequests: session?.takesNoRequests ?? false))
    }

    /// Called when the session's connection is lost.
    ///
    /// - Parameter isSent: whether the upstream may have received the head of the request.
    func connectionLost(isSent: Bool) {
        guard isSent else { return ended(.notSent) }
        handle = nil
        perform(state.connectionLost())
    }

    /// Relays received parts as far as the lessee takes them. The window of the rest stays closed.
    func relay() {
        guard let lessee else { return }
        let takesContent = content == nil || lessee.isWritable
        let ends = isComplete && takesContent
        guard head != nil || ends || takesContent && content != nil else { return }
        let head = head.take()
        let content = takesContent ? content.take() : nil
        if let content, let handle { session?.consume(handle, content.readableBytes) }
        guard ends else { return lessee.relayResponse(head, content, ends: false, trailers: []) }
        let trailers = trailers
        self.lessee = nil
        // Before the lessee learns of the end, so that its next request can use this stream's slot.
        letGo()
        lessee.relayResponse(head, content, ends: true, trailers: trailers)
    }

    // MARK: Actions

    /// Executes the action that an event caused.
    private func perform(_ action: UpstreamStreamState.Action, _ head: ResponseHead? = nil) {
        switch action {
        case .none, .relayContent: letGo()
        case .relayInterim: if let head { lessee?.relayInterim(head) }
        case .relayFinal: self.head = head
        case .complete(let isCut): complete(isCut: isCut)
        case .reset:
            reset(.cancel)
            letGo()
        case .refuse(let failure):
            reset(.protocolError)
            fail(failure)
        case .fail(let failure): fail(failure)
        }
    }

    /// Finishes the response. A queued rest of the request is cancelled: it is useless now, and might never be read.
    private func complete(isCut: Bool) {
        if let session, let handle, isCut || session.hasQueued(handle) { reset(.cancel) }
        leave()
    }

    private func reset(_ code: HTTP2ErrorCode) {
        if let handle { session?.reset(handle, code) }
    }

    private func fail(_ failure: UpstreamFailure) {
        let lessee = lessee.take()
        dropReceived()
        letGo()
        lessee?.upstreamFailed(failure, self)
    }

    private func dropReceived() {
        head = nil
        content = nil
        isComplete = false
    }

    /// Reports to the session that the stream's request is finished.
    private func leave() {
        guard isCounted else { return }
        isCounted = false
        session?.left()
    }

    /// Returns the stream to the pool if neither lessee nor session uses it.
    private func letGo() {
        guard lessee == nil else { return }
        leave()
        guard handle == nil, let pool = session?.pool else { return }
        session = nil
        dropReceived()
        trailers = []
        isPaused = false
        pool.recycle(self)
    }
}

@available(*, unavailable)
extension UpstreamStream: Sendable {}
