import HTTPMessages
import NIOCore

/// Carrier of one request to an upstream and of its response: an HTTP/1.1 connection, or an HTTP/2 stream.
///
/// The request's owner (lessee) calls the carrier for everything that touches the upstream. A write can deliver events
/// to the lessee before it returns.
protocol UpstreamCarrier: AnyObject {
    /// Form in which the request's head must be written, before the first `send`.
    var headForm: UpstreamHeadForm { get }
    /// True if the upstream can report that it did not process a request after it was sent.
    var mayRefuse: Bool { get }
    /// True if more of the request can be written without buffering too much.
    var isWritable: Bool { get }

    /// Assigns the carrier to a request. Returns false if the carrier turns out to be unusable.
    func lease(to lessee: any UpstreamLessee, _ terms: LeaseTerms) -> Bool

    /// Writes the head that the loop holds, if there is one, and then the body content.
    ///
    /// - Parameter trailers: field lines after the content; only if `ends` is true.
    func send(_ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8])

    /// Resumes a response that was paused because the client did not read it.
    func resumeReading()

    /// Ends the lease before the response is complete.
    func abandon()

    /// Takes the session of a silent upstream out of use, so that other requests need not time out on it one by one.
    func doubtSession()

    // MARK: Tunnels

    /// Writes bytes of the tunnelled protocol to the upstream.
    func sendRaw(_ bytes: ByteBuffer)
    /// Closes our side of the tunnel.
    func endTunnelOutput()
    /// Ends the tunnel: writes the last bytes, and closes after a short time for the upstream to read them.
    func endTunnel(_ lastBytes: ByteBuffer)
}

/// Form in which the head of a request is written.
enum UpstreamHeadForm: Hashable {
    /// HTTP/1.1 text, in the loop's outgoing bytes.
    case text
    /// HTTP/2 fields, in the loop's field writer.
    case fields(FieldWriter.Scheme)
}

/// Owner of a request that is forwarded to an upstream. The lessee and its carrier live on one event loop and call each
/// other directly.
protocol UpstreamLessee: AnyObject {
    /// True if the lessee can take more of the response without buffering too much.
    var isWritable: Bool { get }

    /// Called when the carrier is ready and may be leased.
    ///
    /// - Parameter attempt: the carrier that the lessee waited for. Differs from `carrier` if the upstream turned out
    ///   to speak HTTP/2.
    func upstreamConnected(_ carrier: any UpstreamCarrier, after attempt: any UpstreamCarrier)
    /// Called when the carrier has failed. The lessee must not use it again.
    func upstreamFailed(_ failure: UpstreamFailure, _ carrier: any UpstreamCarrier)
    /// Called when more of the request can be written.
    func upstreamBecameWritable()

    /// Relays an interim response: a head with a status of 1xx other than 101 (RFC 9110 §15.2).
    func relayInterim(_ head: ResponseHead)
    /// Relays the part of the final response that one event delivered.
    ///
    /// - Parameters:
    ///   - head: the response's head; only with the first part.
    ///   - ends: whether the response is complete. The lessee must not use the carrier afterwards.
    ///   - trailers: lines of the trailer section; only with the last part.
    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8])

    /// Called when the upstream has switched protocols as requested.
    ///
    /// - Parameter rest: bytes that were received after the head.
    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer)
    /// Relays bytes of the tunnelled protocol to the client.
    func relayFromTunnel(_ bytes: ByteBuffer)
    /// Called when the upstream has closed its side of the tunnel. The lessee must not use the carrier again.
    func tunnelEnded()
}

/// Properties of a request that its carrier depends on.
struct LeaseTerms {
    var requestIsHEAD = false
    /// True if the client accepts trailers.
    var keepsTrailers = false
    /// The request's WebSocket handshake. Nil if it asks for no WebSocket.
    var webSocket: WebSocketRequest?
}
