/// How many nodes a fleet needs, by the formula of the page.
struct CapacityPlan {
    /// In a second, at the whole fleet.
    let requests: Double
    /// Tokens that are good at one time, and how long each is, in seconds.
    let tokens: Double
    let lifetime: Double
    /// Cores of each node.
    let cores: Double
    /// The part of its cores that a node may use on a usual day.
    let load: Double
    /// In microseconds of CPU.
    let known: Double
    let first: Double

    /// A token is remembered until five minutes beyond its end, so that refusing it costs no signature.
    static let remembered: Double = 300

    /// In a second, from all issuers.
    var newTokens: Double { tokens / lifetime }

    /// Every node verifies every new token once: N · c · 10⁶ · u = R · k + N · T · f.
    var nodes: Int { Int((requests * known / (1_000_000 * cores * load - newTokens * first)).rounded(.up)) }

    /// The part of requests whose token is known at the node.
    var hitRate: Double { 1 - Double(nodes) * newTokens / requests }

    /// At each node.
    var rememberedTokens: Double { tokens * (lifetime + Self.remembered) / lifetime }
}
