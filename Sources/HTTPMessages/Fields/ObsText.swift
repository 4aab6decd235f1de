/// Bytes above 0x7F in a field value, which RFC 9110 §5.5 calls opaque.
enum ObsText {
    /// True if a reader of Latin-1 takes the byte for white space (NEL or no-break space) and trims it from the ends of
    /// a value.
    static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x85 || byte == 0xA0 }

    /// True if the value begins and ends with bytes that no reader trims.
    static func isWhole(_ value: Span<UInt8>) -> Bool {
        guard value.count > 0 else { return true }
        return !isWhiteSpace(value[0]) && !isWhiteSpace(value[value.count &- 1])
    }
}

extension HeadLimits {
    /// Names outside `KnownField` whose values the gateway reads, compares or repeats. A trailing `*` covers every name
    /// with that prefix.
    private static let read = ProxyFieldTable(["Access-Control-Request-*", "Sec-WebSocket-*", "Grpc-Timeout"])

    /// True if a trailer field has bytes above 0x7F only where a request's head may have them in a field of the same
    /// name.
    public func admitsObsText(of field: TrailerFields.Field) -> Bool {
        guard field.value.contains(where: { $0 >= 0x80 }) else { return true }
        let name = field.name.span
        return mayHoldObsText(name, known: field.known, hash: FieldNameHash.of(name))
            && ObsText.isWhole(field.value.span)
    }

    /// Refuses bytes above 0x7F in a value that must not have any, and at its ends if readers treat them differently.
    func checkObsText(_ field: HeaderField, name: Span<UInt8>, value: Span<UInt8>) throws(FieldRejection) {
        if statesTarget(name) { return }
        guard mayHoldObsText(name, known: field.known ?? field.lookAlike, hash: field.nameHash), ObsText.isWhole(value)
        else {
            throw .nonASCIIByte
        }
    }

    /// True if the field states the request's target. Its bytes are validated later as part of the target.
    private func statesTarget(_ name: Span<UInt8>) -> Bool { targetField?.matches(name) ?? false }

    /// True if the gateway only forwards this request field. A name that a lax reader could confuse with a field that
    /// is read counts as that field.
    private func mayHoldObsText(_ name: Span<UInt8>, known: KnownField?, hash: UInt32) -> Bool {
        if let known { return known.isOpaqueInRequests }
        guard ProxyFieldTable.standard.entry(name) == nil, Self.read.entry(name) == nil else { return false }
        return ![tokenFields, readFields].joined().contains { $0.hash == hash && $0.resembles(name) }
    }
}
