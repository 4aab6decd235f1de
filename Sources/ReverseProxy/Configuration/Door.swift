import AuthorizationDoors
import NetworkNames

/// What a listener is at which a proxy asks about its requests.
public struct Door: Sendable, Hashable {
    public let kind: DoorKind
    /// The peers that may ask; nil: whoever shows a certificate that the listener accepts.
    public let peers: [AddressRange]?

    public init(kind: DoorKind, peers: [AddressRange]?) {
        self.kind = kind
        self.peers = peers
    }

    /// Whether the peer at the other end of the socket may ask.
    func admits(_ peer: IPAddress?) -> Bool {
        guard let peers else { return true }
        guard let peer else { return false }
        return peers.contains { $0.contains(peer) }
    }
}
