import NetworkNames

/// Key of an address range that is wide on purpose.
final class WideRangeKeys: SectionKeys {
    static let section = SectionReference(
        "Wide ranges",
        "A range that is wide on purpose. Every client in it may state client addresses, read the admin listener, or ask at the door.",
        of: WideRangeKeys.self)

    /// Form of an address range of peers.
    static let form = ValueForm.oneOf([.text("a range of addresses"), .section(section)])

    let wide = Key(
        "wide", KeyForm(.text("a range of addresses")) { $0.plainRange() }, .refused(hint: "write {wide: 0.0.0.0/0}"),
        "A range wider than /8, of IPv6 wider than /19. `check` does not warn of it here. Only for a listener that nobody but such peers reaches.",
        example: "0.0.0.0/0")
}

/// Permission that an address range gives to its peers.
enum PeerRole {
    /// The peers may state the addresses of clients.
    case stateAddresses
    /// The peers may read the admin listener.
    case readAdmin
    /// The peers may ask at a forward auth listener (door).
    case askAtDoor
    /// The peers may choose which traces are recorded.
    case stateTraces

    /// Danger of a wide range; the end of a sentence.
    fileprivate var danger: String {
        switch self {
        case .stateAddresses: "each client in it can choose its own address for limits, quotas and logs"
        case .readAdmin: "each client in it can read the metrics and the names of issuers and rules"
        case .askAtDoor: "each client in it can ask here, and state any request"
        case .stateTraces: "each client in it can have its requests recorded, and join the traces of others"
        }
    }

    /// Advice for a wide range; the beginning of a sentence.
    fileprivate var advice: String {
        switch self {
        case .stateAddresses, .askAtDoor, .stateTraces: "write your proxies' own addresses, such as `10.0.3.0/24`"
        case .readAdmin: "write the networks of your own, such as `10.0.0.0/8`"
        }
    }

    /// Setting that a wide range weakens.
    fileprivate var weakened: WeakeningSetting {
        switch self {
        case .stateAddresses: .trustedProxies
        case .readAdmin: .admin
        case .askAtDoor: .doors
        case .stateTraces: .telemetry
        }
    }

    /// Noun for what only trusted peers must be able to reach if a wide range is used.
    fileprivate var listener: String {
        switch self {
        case .stateAddresses, .stateTraces: "the gateway"
        case .readAdmin, .askAtDoor: "this address"
        }
    }
}

/// Address range as it is written in the file.
struct WrittenRange {
    let range: AddressRange
    let value: Value
    /// True if it was written as `{wide: …}`, which declares it as intended.
    let isStated: Bool

    /// Warns of a range that is probably not meant: a wide one without `{wide: …}`, or an address that no peer can
    /// have.
    func warn(_ role: PeerRole) {
        guard !isStated, let text = value.text() else { return }
        if range.isWide {
            value.warn(
                "`\(text)` is wide: \(role.danger)",
                hint: "\(role.advice), or {wide: \(FlowText.of(text))} if nobody else reaches \(role.listener)",
                weakens: role.weakened)
        } else if let address = IPAddress(text), Self.unspecified.contains(address) {
            // As a listening address it means every address. Written with its prefix length it is a range, and
            // accepted.
            let bits = text.utf8.contains(UInt8(ascii: ":")) ? 128 : 32
            value.warn(
                "`\(text)` is one address, which no peer has",
                hint: "\(role.advice), or \(FlowText.of("\(text)/\(bits)")) for nobody")
        }
    }

    /// Unspecified addresses `0.0.0.0` and `::` (RFC 1122 §3.2.1.3, RFC 4291 §2.5.2). No peer has one, so an address
    /// without a prefix length that is one of them is warned of.
    private static let unspecified = [IPAddress(ipv4: 0), IPAddress(high: 0, low: 0)]
}

extension [WrittenRange] {
    /// Ranges of all elements. Warns of each that is probably not meant.
    func warned(_ role: PeerRole) -> [AddressRange] {
        for written in self { written.warn(role) }
        return map(\.range)
    }
}

extension Value {
    /// Reads address ranges. Invalid ones are reported and left out.
    func addressRanges() -> [WrittenRange] {
        (isMapping ? [self] : elements(expected: Self.rangesForm) ?? []).compactMap { $0.addressRange() }
    }

    /// Reads address ranges, at least one. Nil if there is none, which is reported.
    func someAddressRanges() -> [WrittenRange]? {
        mappingOrElements(of: "range of addresses", expected: Self.rangesForm)?.compactMap { $0.addressRange() }
    }

    private static let rangesForm = "a range of addresses or a list"

    /// Reads a range of addresses, or a mapping `{wide: …}` for a wide one. Nil after an error, which is reported.
    private func addressRange() -> WrittenRange? {
        guard isMapping else { return plainRange().map { WrittenRange(range: $0, value: self, isStated: false) } }
        guard let section = Section(self, of: WideRangeKeys.self), let range = section.required(\.wide),
            let value = section[\.wide]
        else { return nil }
        guard range.isWide else { return value.refuse("this range is not wide", hint: "write it without `wide`") }
        return WrittenRange(range: range, value: value, isStated: true)
    }

    fileprivate func plainRange() -> AddressRange? {
        guard let text = someText(expected: "a range of addresses such as `10.0.0.0/8`") else { return nil }
        guard let range = AddressRange(text) else {
            return refuse(
                "`\(text)` is not a range of addresses",
                hint: "write `10.0.0.0/8`, with no bits beyond the prefix, or one address")
        }
        return range
    }
}
