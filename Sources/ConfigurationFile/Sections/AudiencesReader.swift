import IssuerProfiles
import RequestAuthorization
import TokenVerification

/// Reads the audiences with which the issuers' tokens open a resource: `audiences`.
struct AudiencesReader {
    struct Audience {
        let text: String
        /// Value that the audience comes from: an element of a list, or the resource itself.
        let value: Value
    }

    private static let anyAudience = "`*` is not an audience: it is compared byte for byte, and no option accepts any"

    let issuers: NamedIssuers
    let identifier: String
    /// Issuers whose tokens open the resource.
    let accepted: [NamedIssuer]

    /// Reads the audiences by issuer. If `audiences` is present, it is the complete list. Otherwise the identifier is
    /// the only audience.
    func read(_ section: Section<ResourceKeys>) -> [IssuerIndex: [Audience]] {
        guard let value = section[\.audiences] else { return ofIdentifier(section.value) }
        return value.isMapping ? mapping(value, section.value) : listForAll(value, section.value)
    }

    private func ofIdentifier(_ resource: Value) -> [IssuerIndex: [Audience]] {
        if identifier == "*" { resource.reportMissing(Self.anyAudience) }
        let own = Audience(text: identifier, value: resource)
        return audiences { issuer in
            if case .resource = rule(of: issuer) {
                judge([own], of: issuer, "without `audiences` the identifier is the audience, and ")
            }
            return fixed(issuer, resource) ?? [own]
        }
    }

    private func listForAll(_ value: Value, _ resource: Value) -> [IssuerIndex: [Audience]] {
        let list = list(value)
        if accepted.allSatisfy({ fixed($0, resource) != nil }) {
            for issuer in accepted { judgeFixed(list, issuer, value) }
        }
        if accepted.allSatisfy({ rule(of: $0) == .client }), let first = accepted.first { warnOfClients(first, value) }
        return audiences { issuer in
            if let fixed = fixed(issuer, resource) { return fixed }
            judge(list, of: issuer)
            return list
        }
    }

    private func mapping(_ value: Value, _ resource: Value) -> [IssuerIndex: [Audience]] {
        var given: [IssuerIndex: [Audience]] = [:]
        for (issuer, value) in issuers.members(of: value, among: accepted) {
            let list = list(value)
            guard let issuer else { continue }
            given[issuer.index] = list
            if rule(of: issuer) == .client { warnOfClients(issuer, value) }
            if fixed(issuer, resource) == nil { judge(list, of: issuer) } else { judgeFixed(list, issuer, value) }
        }
        return audiences { issuer in
            if let audiences = fixed(issuer, resource) ?? given[issuer.index] { return audiences }
            if case .resource = rule(of: issuer) {
                value.reportMissing(
                    "the audiences for `\(issuer.name)` are missing",
                    hint: "the mapping is the complete list, so name each issuer")
            }
            return [Audience(text: identifier, value: resource)]
        }
    }

    private func audiences(_ read: (NamedIssuer) -> [Audience]) -> [IssuerIndex: [Audience]] {
        Dictionary(accepted.map { ($0.index, read($0)) }, uniquingKeysWith: { first, _ in first })
    }

    private func list(_ value: Value) -> [Audience] {
        Self.warnOfSeveral(value)
        var seen: Set<[UInt8]> = []
        return (value.someElements(of: "audience", expected: "an audience or a list") ?? []).compactMap { element in
            guard let text = element.someText(expected: "an audience") else { return nil }
            guard text != "*" else { return element.refuse(Self.anyAudience) }
            guard seen.insert(Array(text.utf8)).inserted else {
                element.warn("`\(text)` stands here twice", hint: "keep one of them")
                return nil
            }
            return Audience(text: text, value: element)
        }
    }

    /// Warns of a single text that looks like several audiences. As the only element of a list such a text is accepted.
    private static func warnOfSeveral(_ value: Value) {
        guard case .scalar(let scalar) = value.node.content else { return }
        let words = scalar.text.split { $0 == " " || $0 == "," }
        guard words.count > 1 else { return }
        let list = words.map { FlowText.of(String($0)) }.joined(separator: ", ")
        value.warn(
            "`\(scalar.text)` is one audience",
            hint: "write `[\(list)]`, or `[\(FlowText.of(scalar.text))]` if that is meant")
    }

    // MARK: What the issuer's profile says

    /// Audience rule of the issuer. Nil for a profile with errors, whose rule is not known.
    private func rule(of issuer: NamedIssuer) -> AudienceRule? {
        issuer.configured?.trusted.audience ?? (issuer.profile == nil ? .resource : nil)
    }

    /// Only audiences that the issuer's tokens can have. Nil if they are not fixed.
    private func fixed(_ issuer: NamedIssuer, _ resource: Value) -> [Audience]? {
        switch rule(of: issuer) {
        case .fixed(let audiences): audiences.map { Audience(text: $0, value: resource) }
        // Not compared with any token.
        case .signer: [Audience(text: identifier, value: resource)]
        case .resource, .client, nil: nil
        }
    }

    private func judgeFixed(_ given: [Audience], _ issuer: NamedIssuer, _ value: Value) {
        if rule(of: issuer) == .signer {
            return value.reportPlace(
                "tokens of `\(issuer.name)` have no audience: `signer` says for whom they are", hint: "leave it out")
        }
        guard case .fixed(let audiences) = rule(of: issuer) else { return }
        guard given.contains(where: { audience in !audiences.contains { $0.utf8.elementsEqual(audience.text.utf8) } })
        else { return }
        let names = audiences.map { "`\($0)`" }.joined(separator: " or ")
        value.report(
            "tokens of `\(issuer.name)` always have the audience \(names)",
            hint: "leave it out")
    }

    /// Warns of an audience that few or no tokens of the issuer have.
    private func warnOfClients(_ issuer: NamedIssuer, _ value: Value) {
        value.warnPlace(
            "applies only to tokens of `\(issuer.name)` with `aud`; for all others `client_ids` decide",
            hint: "leave it out unless the issuer is set up to write `aud`")
    }

    /// Reports audiences that are never this API's, or that the identity system does not issue.
    private func judge(_ audiences: [Audience], of issuer: NamedIssuer, _ introduction: String = "") {
        let (profile, trusted) = (issuer.profile, issuer.configured?.trusted)
        for audience in audiences {
            let problem =
                profile.map { $0.problem(withAudience: audience.text, of: trusted) }
                ?? IssuerProfile.problem(withForeignAudience: audience.text)
            guard let problem else { continue }
            let message = introduction + problem.message
            if problem.severity == .error {
                audience.value.reportPlace(message, hint: problem.hint)
            } else {
                audience.value.warnPlace(message, hint: problem.hint)
            }
        }
    }
}
