import TokenVerification

/// Reads `without_audience`: the clients whose tokens need no `aud`.
struct WithoutAudienceReader {
    /// The issuer with its other rules, as far as they are known.
    let issuer: TrustedIssuer

    /// Reads the clients. Nil after an error, which is reported.
    func read(_ value: Value) -> [String]? {
        guard let section = Section(value, of: WithoutAudienceKeys.self),
            let clients = section.required(\.clients), permits(value)
        else { return nil }
        value.warn(
            "a token without `aud` opens every resource that lists this issuer, if its client is one of \(Self.listed(clients))",
            hint: "have the issuer write the API into `aud`, and take this out", weakens: .withoutAudience)
        warnOfExcluded(clients, section[\.clients])
        return clients
    }

    /// Reports an issuer whose ID tokens would count.
    private func permits(_ value: Value) -> Bool {
        guard issuer.tokenType == .any else { return true }
        value.report(
            "with `token_type: any` an ID token of these clients would open the resources",
            hint: "write `token_type` as \(TokenTypeReader.narrowForms)")
        return false
    }

    private func warnOfExcluded(_ clients: [String], _ value: Value?) {
        guard let accepted = issuer.clients, let excluded = clients.first(where: { !accepted.contains($0) }) else {
            return
        }
        value?.warn(
            "`\(excluded)` is not among the `clients` of this issuer, so its tokens are refused",
            hint: "add it there, or take it out here")
    }

    private static func listed(_ clients: [String]) -> String { clients.map { "`\($0)`" }.joined(separator: ", ") }
}
