import StrictJSON
import TokenVerification

/// A test of a claim, and whether it is to hold.
struct ClaimLiteral: Hashable {
    let test: ClaimTest
    let holds: Bool

    /// True if a value meets the literal. The value is nil if the claim is missing.
    func isMet(by value: ClaimValue?) -> Bool { test.holds(for: value?.json) == holds }

    /// Whether an array meets it by any element that does, whatever the others are.
    var needsOneElement: Bool { test.needsOneElement(toHold: holds) }
}
