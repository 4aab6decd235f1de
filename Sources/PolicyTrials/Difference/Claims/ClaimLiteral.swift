import StrictJSON
import TokenVerification

/// A test of a claim, and whether it must hold or fail.
struct ClaimLiteral: Hashable {
    let test: ClaimTest
    let holds: Bool

    /// True if a value meets the literal. The value is nil if the claim is missing.
    func isMet(by value: ClaimValue?) -> Bool { test.holds(for: value?.json) == holds }

    /// Whether an array meets the literal as soon as one element does, regardless of the other elements.
    var needsOneElement: Bool { test.needsOneElement(toHold: holds) }
}
