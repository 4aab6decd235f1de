import NetworkNames

extension Value {
    /// Ranges of addresses; what is none is reported and left out.
    func addressRanges() -> [AddressRange] {
        (elements(expected: Self.rangesForm) ?? []).compactMap { $0.addressRange() }
    }

    /// The same with at least one; nil, after a report, if there is none.
    func someAddressRanges(of what: String) -> [AddressRange]? {
        someElements(of: what, expected: Self.rangesForm).map { $0.compactMap { $0.addressRange() } }
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
}
