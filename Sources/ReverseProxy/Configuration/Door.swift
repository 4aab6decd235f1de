import AuthorizationDoors
import NetworkNames

/// A forward auth listener (door), at which a proxy asks whether it may forward its requests.
public struct Door: Sendable, Hashable {
    public let kind: DoorKind
    /// Peers that may ask. Nil if any client with an accepted certificate may.
    public let peers: [AddressRange]?

    public init(kind: DoorKind, peers: [AddressRange]?) {
        self.kind = kind
        self.peers = peers
    }

    /// True if the peer of the socket may ask.
    func admits(_ peer: IPAddress?) -> Bool {
        guard let peers else { return true }
        guard let peer else { return false }
        return peers.contains { $0.contains(peer) }
    }
}
