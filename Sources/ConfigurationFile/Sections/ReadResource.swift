import RequestAuthorization

/// A resource that could be read, with what it was read from.
struct ReadResource {
    let member: Value.Member
    let terms: ProtectedResource
    let rules: ResourceRules
    let accepted: [AcceptanceReader.Accepted]
    /// What says by which names clients ask for scopes; nil: nothing does.
    let askFor: Value?

    /// As the configuration has it.
    var configured: ConfiguredResource {
        ConfiguredResource(terms: terms, place: member.filePlace, rules: rules.written)
    }
}
