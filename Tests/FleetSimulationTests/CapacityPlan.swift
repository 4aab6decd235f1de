/// Number of nodes that a fleet needs, by the formula of the page.
struct CapacityPlan {
    /// Requests per second at the whole fleet.
    let requests: Double
    /// Number of tokens that are valid at a time, and their lifetime in seconds.
    let tokens: Double
    let lifetime: Double
    /// Cores of each node.
    let cores: Double
    /// Share of its cores that a node may use on a usual day.
    let load: Double
    /// Cost of a request with a cached token, in microseconds of CPU.
    let known: Double
    let first: Double

    /// Time in seconds that a token stays cached after it expired, so that refusing it costs no signature.
    static let remembered: Double = 300

    /// New tokens per second, from all issuers.
    var newTokens: Double { tokens / lifetime }

    /// Every node verifies every new token once: N · c · 10⁶ · u = R · k + N · T · f.
    var nodes: Int { Int((requests * known / (1_000_000 * cores * load - newTokens * first)).rounded(.up)) }

    /// Share of requests whose token is in the node's cache.
    var hitRate: Double { 1 - Double(nodes) * newTokens / requests }

    /// Cached tokens at each node.
    var rememberedTokens: Double { tokens * (lifetime + Self.remembered) / lifetime }
}
