import AuthorizationDoors
import NetworkNames

/// Where a proxy asks about its requests: by which protocol, and who may.
public struct ConfiguredDoor: Sendable, Hashable {
    public let kind: DoorKind
    /// The peers that may ask; nil: whoever shows a certificate that the listener accepts.
    public let peers: [AddressRange]?
}
