import KeySets
import NetworkNames
import TokenIntrospection
import TokenVerification

/// Checks for plain http to other machines, where an attacker on the network path can read and replace content.
struct PlainHTTP {
    static let message = "plain http is refused outside this machine"
    static let hint = "write `https://`, or say `plain_http: true` on this issuer"

    /// Warns of the consequences of `plain_http: true`, or that it has no effect.
    static func warn(_ section: Section<IssuerKeys>, permits: Bool, of issuer: ConfiguredIssuer) {
        guard let value = section[\.plainHTTP], permits else { return }
        let ofKeys = addresses(of: issuer).contains(where: isPlainAbroad)
        let ofAnswers = issuer.introspection.map { isPlainAbroad($0.endpoint.firstAddress) } ?? false
        if ofKeys {
            value.warn(
                "this issuer's keys come over plain http: an attacker on the network path can replace them",
                weakens: .plainHTTP)
        }
        if ofAnswers {
            value.warn(
                "opaque tokens and the client's secret go over plain http: whoever is on the way can read them, and answer",
                weakens: .plainHTTP)
        }
        if !ofKeys, !ofAnswers { value.warn("`plain_http` has no effect: none of this issuer's addresses needs it") }
    }

    /// True if the issuer's keys depend on any address with plain http on another machine.
    static func isUsed(by issuer: ConfiguredIssuer) -> Bool {
        addresses(of: issuer).contains(where: isPlainAbroad)
    }

    static func isPlainAbroad(_ text: String) -> Bool {
        HTTPURL(text)?.isPlainAbroad ?? false
    }

    /// Addresses that the issuer's keys depend on. The identifiers are included if there is metadata: a document
    /// fetched over plain http can name addresses that use it too.
    private static func addresses(of issuer: ConfiguredIssuer) -> [String] {
        let keySets = issuer.exampleKeySets
        let names =
            keySets.contains { $0.source.hasMetadata } ? issuer.trusted.identifiers.compactMap(\.exactText) : []
        return names + keySets.compactMap(\.source.url)
    }
}

extension IntrospectionEndpoint {
    /// First address that is requested: the endpoint itself, or the metadata that names it.
    fileprivate var firstAddress: String {
        switch self {
        case .configured(let url): url.text
        case .learnt(let document): document.source.description
        }
    }
}

extension HTTPURL {
    /// True for plain http to another machine.
    var isPlainAbroad: Bool { scheme == .http && !namesLoopback }
}

extension KeySetSource {
    /// URL of the source. Nil for a file.
    fileprivate var url: String? {
        filePath == nil ? description : nil
    }
}
