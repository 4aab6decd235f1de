import NetworkNames

/// The key of a range of proxies that is wide on purpose.
enum WideRangeKey: String, ConfigurationKey {
    case wide

    static let section = SectionReference(
        "Wide ranges", "A range of proxies that is wide on purpose: each client in it chooses the address that it is known by.",
        of: WideRangeKey.self)

    /// A range of proxies.
    static let form = ValueForm.oneOf([.text("a range of addresses"), .section(section)])

    var reference: KeyReference {
        KeyReference(
            .text("a range of addresses"), .refused(hint: "write {wide: 0.0.0.0/0}"),
            "A range wider than /8, of IPv6 wider than /19. `check` does not warn of it here. Only for a gateway that nobody but proxies reaches.",
            example: "0.0.0.0/0")
    }
}

extension Value {
    /// Ranges of addresses; what is none is reported and left out.
    func addressRanges() -> [AddressRange] {
        (elements(expected: Self.rangesForm) ?? []).compactMap { $0.addressRange() }
    }

    /// The same with at least one; nil, after a report, if there is none.
    func someAddressRanges(of what: String) -> [AddressRange]? {
        someElements(of: what, expected: Self.rangesForm).map { $0.compactMap { $0.addressRange() } }
    }

    /// Ranges of proxies, which state the addresses of their clients; warns of a wide one.
    func proxyRanges() -> [AddressRange] {
        (isMapping ? [self] : elements(expected: Self.rangesForm) ?? []).compactMap { $0.proxyRange() }
    }

    /// The same with at least one; nil, after a report, if there is none.
    func someProxyRanges() -> [AddressRange]? {
        let elements = isMapping ? [self] : someElements(of: "range of addresses", expected: Self.rangesForm)
        return elements.map { $0.compactMap { $0.proxyRange() } }
    }

    private static let rangesForm = "a range of addresses or a list"

    private func addressRange() -> AddressRange? {
        guard let text = someText(expected: "a range of addresses such as `10.0.0.0/8`") else { return nil }
        guard let range = AddressRange(text) else {
            report(
                "`\(text)` is not a range of addresses", hint: "write `10.0.0.0/8`, with no bits beyond the prefix, or one address")
            return nil
        }
        return range
    }

    /// A range, or a mapping by which a wide one is meant.
    private func proxyRange() -> AddressRange? {
        guard isMapping else {
            let range = addressRange()
            if range?.isWide == true { warnOfWidth() }
            return range
        }
        guard let value = Section(self, of: WideRangeKey.self)?.required(.wide), let range = value.addressRange() else { return nil }
        guard range.isWide else {
            value.report("this range is not wide", hint: "write it without `wide`")
            return nil
        }
        return range
    }

    private func warnOfWidth() {
        guard let text = text() else { return }
        warn(
            "`\(text)` is wide: each client in it chooses the address that limits, quotas and logs know it by",
            hint:
                "write your proxies' own addresses, such as `10.0.3.0/24`, or {wide: \(FlowText.of(text))} if nobody else reaches the gateway"
        )
    }
}
