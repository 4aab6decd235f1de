import RequestAuthorization

/// Resource that could be read, with the values that it was read from.
struct ReadResource {
    let member: Value.Member
    let terms: ProtectedResource
    let rules: ResourceRules
    let accepted: [AcceptanceReader.Accepted]
    /// Value of `ask_for`: names by which clients ask for scopes. Nil if the file has none.
    let askFor: Value?

    /// Resource as part of the configuration.
    var configured: ConfiguredResource {
        ConfiguredResource(terms: terms, place: member.filePlace, rules: rules.written)
    }
}
