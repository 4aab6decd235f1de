import HTTPMessages
import NIOCore

/// Whoever has a request carried by an upstream connection. Both live on one event loop and call each other directly.
protocol UpstreamLessee: AnyObject {
    /// Whether it takes more of the response without piling up.
    var isWritable: Bool { get }

    /// The connection that it waited for is ready; it may lease it now.
    func upstreamConnected(_ connection: UpstreamConnection)
    /// The connection is lost to it.
    func upstreamFailed(_ failure: UpstreamFailure, _ connection: UpstreamConnection)
    /// More of the request can be written.
    func upstreamBecameWritable()

    /// A head with a status of 1xx other than 101 (RFC 9110 §15.2).
    func relayInterim(_ head: ResponseHead)
    /// What one event brought of the final response.
    ///
    /// - Parameters:
    ///   - head: once, with the first part.
    ///   - ends: whether the response is complete; the connection is then no longer the lessee's.
    ///   - trailers: the trailer section's lines, with the end.
    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8])

    /// The upstream switched protocols, as it was asked to.
    ///
    /// - Parameter rest: what was received behind the head.
    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer)
    /// Bytes of the protocol that was switched to.
    func relayFromTunnel(_ bytes: ByteBuffer)
    /// The upstream ended its side of the tunnel; the connection is no longer the lessee's.
    func tunnelEnded()
}

/// What an upstream connection has to know of a request that it carries.
struct LeaseTerms {
    var requestIsHEAD = false
    /// Whether the client takes trailers.
    var keepsTrailers = false
    /// The nonce with which the request asks for the WebSocket protocol; nil: it does not.
    var webSocketKey: String?
    /// Counts from 1.
    var attempt = 1
}
