/// Bytes above 0x7F in a field value, which RFC 9110 §5.5 calls opaque.
enum ObsText {
    /// Whether a reader of Latin-1 takes the byte for white space, and cuts it off at the ends of a value: NEL and
    /// no-break space.
    static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x85 || byte == 0xA0 }

    /// Whether a value begins and ends with bytes that all readers keep.
    static func isWhole(_ value: Span<UInt8>) -> Bool {
        guard value.count > 0 else { return true }
        return !isWhiteSpace(value[0]) && !isWhiteSpace(value[value.count &- 1])
    }
}

extension HeadLimits {
    /// Names beside the closed table whose values the gateway reads, compares or repeats; a `*` at the end covers every
    /// name that begins so.
    private static let read = ProxyFieldTable(["Access-Control-Request-*", "Sec-WebSocket-*", "Grpc-Timeout"])

    /// Whether a trailer field has no bytes above 0x7F but those that a request's head may have in a field of that
    /// name.
    public func admitsObsText(of field: TrailerFields.Field) -> Bool {
        guard field.value.contains(where: { $0 >= 0x80 }) else { return true }
        let name = field.name.span
        return mayHoldObsText(name, known: field.known, hash: FieldNameHash.of(name))
            && ObsText.isWhole(field.value.span)
    }

    /// Refuses bytes above 0x7F in a value that may hold none, and at its ends where readers differ about them.
    func checkObsText(_ field: HeaderField, name: Span<UInt8>, value: Span<UInt8>) throws(FieldRejection) {
        if statesTarget(name) { return }
        guard mayHoldObsText(name, known: field.known ?? field.lookAlike, hash: field.nameHash), ObsText.isWhole(value)
        else {
            throw .nonASCIIByte
        }
    }

    /// Whether the value becomes the target of the request that is judged, whose bytes are judged there.
    private func statesTarget(_ name: Span<UInt8>) -> Bool { targetField?.matches(name) ?? false }

    /// Whether the gateway only forwards a field of a request. A name that a lax reader could take for one that is read
    /// counts as that one.
    private func mayHoldObsText(_ name: Span<UInt8>, known: KnownField?, hash: UInt32) -> Bool {
        if let known { return known.isOpaqueInRequests }
        guard ProxyFieldTable.standard.entry(name) == nil, Self.read.entry(name) == nil else { return false }
        return ![tokenFields, readFields].joined().contains { $0.hash == hash && $0.resembles(name) }
    }
}
