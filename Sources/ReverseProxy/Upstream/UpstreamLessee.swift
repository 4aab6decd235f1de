import HTTPMessages
import NIOCore

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
