import AccessControl
import TokenVerification

/// A request that represents all requests that both files treat alike, apart from their tokens.
struct RequestClass {
    let method: String
    let host: HostClass
    let segments: [[UInt8]]
    let shape: PathShape
    /// The path as written, with its separators.
    let path: String
    /// Whether the path has a `%2F`, so that the rules for the decoded path must permit it too.
    let hasEncodedSlashes: Bool
    /// Resource that the request matches in the old file, as `new` in the new file. Nil if it matches none.
    let old: RequestPlace?
    let new: RequestPlace?
    let oldRule: RuleInPlace?
    let newRule: RuleInPlace?

    var url: String { host.origin + path }
}
