extension RequestHead {
    /// True if the client states in `TE` that it accepts trailers (RFC 9110 §6.5.1).
    public var acceptsTrailers: Bool {
        guard contains(.te), version != .http10 else { return false }
        for field in fields(named: .te) {
            var elements = ListElements(field.value)
            while let element = elements.next(in: bytes.span) {
                if section.equals(element, ignoringCase: "trailers") { return true }
            }
        }
        return false
    }
}
