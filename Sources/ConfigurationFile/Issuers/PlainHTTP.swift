import KeySets
import NetworkNames
import TokenIntrospection
import TokenVerification

/// Judges addresses that whoever is on the way could answer for.
struct PlainHTTP {
    static let message = "plain http is refused outside this machine"
    static let hint = "write `https://`, or say `plain_http: true` on this issuer"

    /// Warns of what `plain_http: true` permits, or that it permits nothing.
    static func warn(_ section: Section<IssuerKeys>, permits: Bool, of issuer: ConfiguredIssuer) {
        guard let value = section[\.plainHTTP], permits else { return }
        let ofKeys = addresses(of: issuer).contains(where: isPlainAbroad)
        let ofAnswers = issuer.introspection.map { isPlainAbroad($0.endpoint.firstAddress) } ?? false
        if ofKeys { value.warn("this issuer's keys come over plain http: whoever is on the way can replace them") }
        if ofAnswers {
            value.warn(
                "opaque tokens and the client's secret go over plain http: whoever is on the way can read them, and answer"
            )
        }
        if !ofKeys, !ofAnswers { value.warn("`plain_http` has no effect: none of this issuer's addresses needs it") }
    }

    /// Whether anything that the issuer's keys depend on is asked for in the clear.
    static func isUsed(by issuer: ConfiguredIssuer) -> Bool {
        addresses(of: issuer).contains(where: isPlainAbroad)
    }

    static func isPlainAbroad(_ text: String) -> Bool {
        HTTPURL(text)?.isPlainAbroad ?? false
    }

    /// Addresses of the issuer's keys, and its identifiers if metadata leads to them: what an issuer over plain http
    /// names may be so too.
    private static func addresses(of issuer: ConfiguredIssuer) -> [String] {
        let names =
            issuer.keySets.contains { $0.source.hasMetadata } ? issuer.trusted.identifiers.compactMap(\.exactText) : []
        return names + issuer.keySets.compactMap(\.source.url)
    }
}

extension IntrospectionEndpoint {
    /// What is asked first: the endpoint, or what may name any other.
    fileprivate var firstAddress: String {
        switch self {
        case .configured(let url): url.text
        case .learnt(let document): document.source.description
        }
    }
}

extension HTTPURL {
    /// Whether it is plain http that leaves this machine.
    var isPlainAbroad: Bool { scheme == .http && !namesLoopback }
}

extension KeySetSource {
    /// Where it is on the network; nil for a file.
    fileprivate var url: String? {
        if case .file = self { nil } else { description }
    }
}
