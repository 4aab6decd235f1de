import StrictJSON

/// List of values and patterns. A test requires that a claim matches at least one of them, or that it matches none.
public struct ClaimChoice: Sendable, Hashable {
    public let values: [ClaimScalar]
    /// Patterns for claims that are strings.
    public let patterns: [ClaimPattern]

    public init(values: [ClaimScalar] = [], patterns: [ClaimPattern] = []) {
        self.values = values
        self.patterns = patterns
    }

    /// True if the claim matches a value or pattern; for an array, if any element does.
    public func isHeld(by claim: JSONValue) -> Bool {
        claim.kind == .array ? claim.elements.contains(where: includes) : includes(claim)
    }

    /// True if the claim matches no value or pattern, and is of a type that these have; for an array, if this holds for
    /// every element.
    ///
    /// A claim of another type cannot be compared. It is not known to be different, so it does not count as excluded.
    public func isExcluded(by claim: JSONValue) -> Bool {
        claim.kind == .array ? claim.elements.allSatisfy(excludes) : excludes(claim)
    }

    private func excludes(_ claim: JSONValue) -> Bool {
        (values.contains { $0.hasType(of: claim) } || !patterns.isEmpty && claim.kind == .string) && !includes(claim)
    }

    /// True if this single value matches a value or pattern. An array never does.
    public func includes(_ claim: JSONValue) -> Bool {
        if values.contains(where: { $0.equals(claim) }) { return true }
        guard !patterns.isEmpty, claim.kind == .string else { return false }
        return claim.withStringBytes { bytes in patterns.contains { $0.matches(bytes) } } ?? false
    }
}

extension ClaimChoice: CustomStringConvertible {
    public var description: String {
        (values.map(\.description) + patterns.map { "\($0) (glob)" }).joined(separator: ", ")
    }
}

extension ClaimScalar {
    /// True if the claim has the same JSON type as the value, so that the two can be compared.
    fileprivate func hasType(of claim: JSONValue) -> Bool {
        switch (self, claim.kind) {
        case (.real, .real) where claim.isBeyondInteger: false
        case (.string, .string), (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real),
            (.boolean, .boolean):
            true
        default: false
        }
    }
}
