import AccessControl
import TokenVerification

/// A request that stands for all that both files treat alike, apart from their tokens.
struct RequestClass {
    let method: String
    let host: HostClass
    let segments: [[UInt8]]
    let shape: PathShape
    /// The path as it is written, with its separators.
    let path: String
    /// Whether it has a `%2F`, so that other rules than its own decide too.
    let hasEncodedSlashes: Bool
    /// The place of the request in each file. Nil if there is none.
    let old: RequestPlace?
    let new: RequestPlace?
    let oldRule: RuleInPlace?
    let newRule: RuleInPlace?

    var url: String { host.origin + path }
}
