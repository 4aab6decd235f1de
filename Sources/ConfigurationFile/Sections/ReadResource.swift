import RequestAuthorization

/// A resource that could be read, with what it was read from.
struct ReadResource {
    let member: Value.Member
    let terms: ProtectedResource
    let rules: ResourceRules
    let accepted: [AcceptanceReader.Accepted]
    /// Names by which clients ask for scopes. Nil if the file says none.
    let askFor: Value?

    /// As the configuration has it.
    var configured: ConfiguredResource {
        ConfiguredResource(terms: terms, place: member.filePlace, rules: rules.written)
    }
}
