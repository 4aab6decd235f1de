import StrictJSON
import TokenVerification

/// A test of a claim, and whether it must hold or fail.
struct ClaimLiteral: Hashable {
    let test: ClaimTest
    let holds: Bool

    /// True if a value meets the literal. The value is nil if the claim is missing.
    func isMet(by value: ClaimValue?) -> Bool { test.holds(for: value?.json) == holds }

    /// True if a list of claims meets the literal: the claims of an array's elements. A value that is no list counts as
    /// a list of itself. The list is nil if the array is missing.
    func isMet(byClaims list: ClaimValue?) -> Bool {
        guard let list else { return (test == .missing) == holds }
        let claims = list.json.kind == .array ? Array(list.json.elements) : [list.json]
        return switch test {
        case .missing: claims.isEmpty == holds
        case .excluded: claims.allSatisfy(test.holds) == holds
        default: claims.contains(where: test.holds) == holds
        }
    }

    /// Whether an array meets the literal as soon as one element does, regardless of the other elements.
    var needsOneElement: Bool { test.needsOneElement(toHold: holds) }
}
