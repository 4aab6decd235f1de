import NetworkNames

/// The key of a range that is wide on purpose.
final class WideRangeKeys: SectionKeys {
    static let section = SectionReference(
        "Wide ranges",
        "A range that is wide on purpose: each client in it chooses the address that it is known by, reads the admin listener, or asks at the door.",
        of: WideRangeKeys.self)

    /// A range of peers.
    static let form = ValueForm.oneOf([.text("a range of addresses"), .section(section)])

    let wide = Key(
        "wide", KeyForm(.text("a range of addresses")) { $0.plainRange() }, .refused(hint: "write {wide: 0.0.0.0/0}"),
        "A range wider than /8, of IPv6 wider than /19. `check` does not warn of it here. Only for a listener that nobody but such peers reaches.",
        example: "0.0.0.0/0")
}

/// What a range of addresses permits its peers to do.
enum PeerRole {
    /// State the addresses of clients.
    case stateAddresses
    /// Read the admin listener.
    case readAdmin
    /// Ask at a door.
    case askAtDoor

    /// What is wrong with a wide range: the end of a sentence.
    fileprivate var danger: String {
        switch self {
        case .stateAddresses: "each client in it chooses the address that limits, quotas and logs know it by"
        case .readAdmin: "each client in it can read the metrics and the names of issuers and rules"
        case .askAtDoor: "each client in it can ask here, and state any request"
        }
    }

    /// Advice: the beginning of a sentence.
    fileprivate var advice: String {
        switch self {
        case .stateAddresses, .askAtDoor: "write your proxies' own addresses, such as `10.0.3.0/24`"
        case .readAdmin: "write the networks of your own, such as `10.0.0.0/8`"
        }
    }

    /// What nobody else reaches where a wide range is safe.
    fileprivate var listener: String {
        switch self {
        case .stateAddresses: "the gateway"
        case .readAdmin, .askAtDoor: "this address"
        }
    }
}

/// A range of addresses of the file.
struct WrittenRange {
    let range: AddressRange
    let value: Value
    /// Whether `{wide: …}` says that it is meant as it is written.
    let isStated: Bool

    /// Warns of a range that is hardly meant: a wide one that is not stated, or an address that no peer has.
    func warn(_ role: PeerRole) {
        guard !isStated, let text = value.text() else { return }
        if range.isWide {
            value.warn(
                "`\(text)` is wide: \(role.danger)",
                hint: "\(role.advice), or {wide: \(FlowText.of(text))} if nobody else reaches \(role.listener)")
        } else if let address = IPAddress(text), Self.unspecified.contains(address) {
            // Where programs listen it stands for every address. With its prefix it is a range, and meant.
            let bits = text.utf8.contains(UInt8(ascii: ":")) ? 128 : 32
            value.warn(
                "`\(text)` is one address, which no peer has",
                hint: "\(role.advice), or \(FlowText.of("\(text)/\(bits)")) for nobody")
        }
    }

    /// `0.0.0.0` and `::` (RFC 1122 §3.2.1.3, RFC 4291 §2.5.2).
    private static let unspecified = [IPAddress(ipv4: 0), IPAddress(high: 0, low: 0)]
}

extension [WrittenRange] {
    /// The ranges, after a warning of each that is hardly meant.
    func warned(_ role: PeerRole) -> [AddressRange] {
        for written in self { written.warn(role) }
        return map(\.range)
    }
}

extension Value {
    /// Ranges of addresses; what is none is reported and left out.
    func addressRanges() -> [WrittenRange] {
        (isMapping ? [self] : elements(expected: Self.rangesForm) ?? []).compactMap { $0.addressRange() }
    }

    /// The same with at least one; nil, after a report, if there is none.
    func someAddressRanges() -> [WrittenRange]? {
        mappingOrElements(of: "range of addresses", expected: Self.rangesForm)?.compactMap { $0.addressRange() }
    }

    private static let rangesForm = "a range of addresses or a list"

    /// A range, or a mapping by which a wide one is meant.
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
