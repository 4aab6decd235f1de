import HTTPMessages
import NIOCore

/// What carries one request to an upstream, and its answer back: an HTTP/1.1 connection, or a stream.
///
/// Its lessee calls it for everything that touches the upstream. What it writes can bring in events before it returns.
protocol UpstreamCarrier: AnyObject {
    /// How the request's head is written, before the first `send`.
    var headForm: UpstreamHeadForm { get }
    /// Whether the upstream may say that it did not process a request, after it was sent.
    var mayRefuse: Bool { get }
    /// Whether more of the request can be written without piling up.
    var isWritable: Bool { get }

    /// Gives it to a request; false if it turns out not to be usable.
    func lease(to lessee: any UpstreamLessee, _ terms: LeaseTerms) -> Bool

    /// Writes the head that the loop holds, if there is one, and body content behind it.
    ///
    /// - Parameter trailers: field lines behind the content; only with its end.
    func send(_ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8])

    /// Continues with the response if it was paused because the client did not read it.
    func resumeReading()

    /// Ends the lease before the response ended.
    func abandon()

    /// A silent upstream may be gone: other requests must not have to find that out one by one.
    func doubtSession()

    // MARK: Tunnels

    /// Writes bytes of the protocol that was switched to.
    func sendRaw(_ bytes: ByteBuffer)
    /// Ends our side of the tunnel.
    func endTunnelOutput()
    /// Ends the tunnel: with last bytes, and a little time for the upstream to see them.
    func endTunnel(_ lastBytes: ByteBuffer)
}

/// What the head of a request is written as.
enum UpstreamHeadForm: Hashable {
    /// HTTP/1.1 text, in the loop's outgoing bytes.
    case text
    /// Fields of HTTP/2, in the loop's field writer.
    case fields(FieldWriter.Scheme)
}

/// The owner of a request that is carried to an upstream. It and the carrier live on one event loop and call each other
/// directly.
protocol UpstreamLessee: AnyObject {
    /// Whether it takes more of the response without piling up.
    var isWritable: Bool { get }

    /// The carrier is ready; it may be leased now.
    ///
    /// - Parameter attempt: what it waited with: the same, or another if the upstream turned out to speak HTTP/2.
    func upstreamConnected(_ carrier: any UpstreamCarrier, after attempt: any UpstreamCarrier)
    /// The carrier is lost to it.
    func upstreamFailed(_ failure: UpstreamFailure, _ carrier: any UpstreamCarrier)
    /// More of the request can be written.
    func upstreamBecameWritable()

    /// A head with a status of 1xx other than 101 (RFC 9110 §15.2).
    func relayInterim(_ head: ResponseHead)
    /// What one event brought of the final response.
    ///
    /// - Parameters:
    ///   - head: once, with the first part.
    ///   - ends: whether the response is complete; the carrier is then no longer the lessee's.
    ///   - trailers: the trailer section's lines, with the end.
    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8])

    /// The upstream switched protocols, as it was asked to.
    ///
    /// - Parameter rest: what was received behind the head.
    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer)
    /// Bytes of the protocol that was switched to.
    func relayFromTunnel(_ bytes: ByteBuffer)
    /// The upstream ended its side of the tunnel; the carrier is no longer the lessee's.
    func tunnelEnded()
}

/// What a carrier needs to know about its request.
struct LeaseTerms {
    var requestIsHEAD = false
    /// Whether the client takes trailers.
    var keepsTrailers = false
    /// The request for the WebSocket protocol, if it is one.
    var webSocket: WebSocketRequest?
}
