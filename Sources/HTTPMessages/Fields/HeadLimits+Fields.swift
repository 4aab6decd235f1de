import NetworkNames

extension HeadLimits {
    /// Length up to which a line is never too long, regardless of its field's name.
    var shortLine: Int { min(field, authorization) &+ HeadLimits.lineAllowance }

    /// Refuses a field line, complete or not, that is too long however much white space it has.
    func check(lineLength length: Int, carriesToken: Bool) throws(FieldRejection) {
        if carriesToken {
            guard length <= authorization &+ HeadLimits.lineAllowance else { throw .authorizationTooLong }
        } else {
            guard length <= field &+ HeadLimits.lineAllowance else { throw .fieldTooLarge }
        }
    }

    /// Refuses a field whose name or value is too long.
    @inline(__always)
    func check(_ field: HeaderField, name: Span<UInt8>, value: Span<UInt8>) throws(FieldRejection) {
        if field.known == .authorization || isTokenField(name, hash: field.nameHash) {
            // In a list of subprotocols, any element may be the token.
            let length = field.known == .secWebSocketProtocol ? longestElement(value) : credentialsLength(value)
            guard length <= authorization else { throw .authorizationTooLong }
        } else {
            guard field.name.count <= self.field, value.count <= self.field else { throw .fieldTooLarge }
        }
    }

    /// True if the field is configured to carry a token. `Authorization` is not among these.
    @inline(__always)
    func isTokenField(_ name: Span<UInt8>, hash: UInt32) -> Bool {
        !tokenFields.isEmpty && hasTokenField(name, hash: hash)
    }

    private func hasTokenField(_ name: Span<UInt8>, hash: UInt32) -> Bool {
        tokenFields.contains { $0.hash == hash && $0.matches(name) }
    }

    private func longestElement(_ value: Span<UInt8>) -> Int {
        var elements = ListElements(0..<value.count)
        var longest = 0
        while let element = elements.next(in: value) { longest = max(longest, element.count) }
        return longest
    }

    /// The length of the credentials after the scheme, or of the whole value if it has no space.
    private func credentialsLength(_ value: Span<UInt8>) -> Int {
        var index = 0
        while index < value.count, value[index] != ASCII.space { index &+= 1 }
        guard index < value.count else { return value.count }
        while index < value.count, value[index] == ASCII.space { index &+= 1 }
        return value.count &- index
    }
}
