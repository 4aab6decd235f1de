import NetworkNames

extension Value {
    /// Ranges of addresses; what is none is reported and left out.
    func addressRanges() -> [AddressRange] {
        (elements(expected: "a range of addresses or a list") ?? []).compactMap { element in
            guard let text = element.someText(expected: "a range of addresses such as `10.0.0.0/8`") else { return nil }
            guard let range = AddressRange(text) else {
                element.report(
                    "`\(text)` is not a range of addresses", hint: "write `10.0.0.0/8`, with no bits beyond the prefix, or one address")
                return nil
            }
            return range
        }
    }
}
