import AccessControl
import AuthorizationDoors
import HTTPMessages
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Reads `doors`.
enum DoorsReader {
    static func read(_ value: Value?, beside configuration: Configuration) -> [ConfiguredListener] {
        let elements = value?.mappingOrElements(of: "door", expected: "a list of {kind, address, from}")
        var taken = configuration.listen.map(\.address) + (configuration.admin.map { [$0] } ?? [])
        var doors: [ConfiguredListener] = []
        for element in elements ?? [] {
            guard let (place, door) = door(element) else { continue }
            if let other = taken.first(where: { door.address.overlaps($0) }) {
                place.report(
                    "`\(door.address.text)` conflicts with the listener on `\(other.text)`",
                    hint: "give each door an address of its own")
            }
            taken.append(door.address)
            doors.append(door)
        }
        return doors
    }

    /// Reads a forward auth listener (door). The first result is the value of its `address`, for error reports. Nil
    /// after an error, which is reported.
    private static func door(_ value: Value) -> (Value, ConfiguredListener)? {
        guard let section = Section(value, of: DoorKeys.self) else { return nil }
        let kind = section.required(\.kind)
        let protocols: ListenerProtocols = kind?.asksByMessage == true ? .http2 : .http1
        let security = section.read(\.tls) { TerminationReader.read($0, protocols) }
        let peers = section.read(\.from)
        let address = section.required(\.address)
        if peers.isAbsent, !security.isWrong, security.value?.requiresClientCertificate != true {
            return value.refuseMissing("nothing says who may ask here", hint: DoorKeys.peersHint)
        }
        guard let kind, let address, let place = section[\.address], !security.isWrong, !peers.isWrong else {
            return nil
        }
        let service = security.value.map { ConfiguredService.secure($0) } ?? .plain(protocols)
        return (
            place,
            ConfiguredListener(address: address, service: service, door: ConfiguredDoor(kind: kind, peers: peers.value))
        )
    }

    /// Reads the proxies that may ask at a door. Ranges that cover everyone are an error, because any client could then
    /// ask. Nil after an error, which is reported.
    static func peers(_ value: Value) -> [AddressRange]? {
        guard let ranges = value.someAddressRanges() else { return nil }
        guard AddressRange.coverEveryone(ranges.map(\.range)) else { return ranges.warned(.askAtDoor) }
        return value.refuse(
            "anyone could ask here, with any made-up request",
            hint: "write the addresses of your proxies, such as `[10.0.3.0/24]`")
    }

    /// Hint for limits by address at a door. Which address the proxy will state is not known before it asks.
    static let addressHint =
        "have every proxy that uses a door send it, as in `deploy/gateways`; without it this limit does not apply there"

    /// Warns of responses of the gateway that clients cannot get behind some doors.
    static func warnOfAnswers(
        _ value: Value?, _ doors: [ConfiguredListener], _ resources: IndexedBy<ResourceIndex, ProtectedResource>
    ) {
        guard let value else { return }
        let kinds = doors.compactMap { $0.door?.kind }
        if let kind = kinds.first(where: { !$0.relays(success: AnswerStatus.noContent.rawValue) }),
            let resource = resources.first(where: { $0.crossOrigin != nil })
        {
            value.warnPlace(
                "preflights for `\(resource.identifier)` are 404 at the door of \(kind.rawValue), which takes every 2xx for a permission",
                hint: "have the proxy answer preflights, or send them to an address of `listen`")
        }
        if let kind = kinds.first(where: { !$0.relays(success: 200) }),
            let resource = resources.first(where: { $0.metadataURL != nil })
        {
            value.warnPlace(
                "the metadata of `\(resource.identifier)` is 404 at the door of \(kind.rawValue), which takes 200 for a permission",
                hint:
                    "have the proxy send `/.well-known/oauth-protected-resource` to an address of `listen`, or write `metadata: none`"
            )
        }
    }
}
