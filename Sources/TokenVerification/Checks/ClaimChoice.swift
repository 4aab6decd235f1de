import StrictJSON

/// Values and patterns of which a claim must have one, or none.
public struct ClaimChoice: Sendable, Hashable {
    public let values: [ClaimScalar]
    /// For texts.
    public let patterns: [ClaimPattern]

    public init(values: [ClaimScalar] = [], patterns: [ClaimPattern] = []) {
        self.values = values
        self.patterns = patterns
    }

    /// Whether the claim, or an element of it when it is an array, is one of these.
    public func isHeld(by claim: JSONValue) -> Bool {
        claim.kind == .array ? claim.elements.contains(where: includes) : includes(claim)
    }

    /// Whether the claim is none of these, and neither is an element of it; each is of a type that these have.
    ///
    /// What could not be compared is not known to be something else, so it does not count as that.
    public func isExcluded(by claim: JSONValue) -> Bool {
        claim.kind == .array ? claim.elements.allSatisfy(excludes) : excludes(claim)
    }

    private func excludes(_ claim: JSONValue) -> Bool {
        (values.contains { $0.hasType(of: claim) } || !patterns.isEmpty && claim.kind == .string) && !includes(claim)
    }

    /// Whether this one value is among them; an array never is.
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
    /// Whether the claim is of the same JSON type, so that it is known to be this value or not.
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
