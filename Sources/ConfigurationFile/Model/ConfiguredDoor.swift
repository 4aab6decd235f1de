import AuthorizationDoors
import NetworkNames

/// Forward auth listener (door): its protocol, and the proxies that may use it.
public struct ConfiguredDoor: Sendable, Hashable {
    public let kind: DoorKind
    /// Addresses of the proxies that may ask. Nil if any peer may ask whose certificate the listener accepts.
    public let peers: [AddressRange]?
}
