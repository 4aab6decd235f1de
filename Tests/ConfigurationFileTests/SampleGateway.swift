import AccessControl
import ConfigurationFile
import HTTPMessages
import JOSE
import KeySets
import ProviderFixtures
import RequestAuthorization
import TokenVerification

/// Judgement of requests by a configuration file, with the key sets of samples in place of fetched ones.
struct SampleGateway {
    static let ring = SampleKeyRing()

    struct Refused: Error {}

    private let authorizer: RequestAuthorizer

    /// - Parameter keySetName: returns the provider's key set that replaces a configured one, by its name and index.
    init(
        _ configuration: Configuration, of provider: ProviderName,
        keySetName: (KeySetIndex, KeySetConfiguration) -> String?
    ) throws {
        let issuers = try configuration.issuers.mapped { issuer in
            let stores = try issuer.keySets.indexed.map { index, keySet in
                guard let name = keySetName(index, keySet), let text = try Self.ring.jwkSet(of: provider, keySet: name)
                else {
                    throw Refused()
                }
                return try Self.store(text, staleLimit: keySet.staleLimit)
            }
            return IssuerKeyStores(issuer: issuer.trusted, stores: IndexedBy(stores))
        }
        authorizer = try RequestAuthorizer(resources: configuration.protectedResources, issuers: issuers)
    }

    private static func store(_ text: String, staleLimit: Duration) throws -> KeySetStore {
        let bytes = Array(text.utf8)
        var snapshot = KeySetSnapshot(staleLimit: staleLimit)
        snapshot.keys = try KeySet(parsing: bytes.span, use: .signaturesAndJWTSVIDs)
        snapshot.fetchedAt = NumericDate(seconds: Double(SampleToken.judgedAt))
        snapshot.lastFetchSucceeded = true
        return KeySetStore(snapshot)
    }

    /// Reason why the request with the sample is refused. Nil if it is forwarded.
    func reason(_ sample: SampleToken, _ method: String, _ path: String, host: String = "gateway.example") throws
        -> String?
    {
        var request = try Self.request(sample, method, path, host)
        switch authorizer.authorize(&request, at: NumericDate(seconds: Double(SampleToken.judgedAt))) {
        case .forward: return nil
        case .reject(let rejection, _): return rejection.reason.label
        case .publish, .preflight, .wait: throw Refused()
        }
    }

    /// Step-by-step explanation of the same decision.
    func explanation(_ sample: SampleToken, _ method: String, _ path: String, host: String = "gateway.example") throws
        -> Explanation
    {
        var request = try Self.request(sample, method, path, host)
        return authorizer.explain(&request, at: NumericDate(seconds: Double(SampleToken.judgedAt)))
    }

    private static func request(_ sample: SampleToken, _ method: String, _ path: String, _ host: String) throws
        -> AuthorizationRequest
    {
        let field = sample.field(with: try ring.compactJWS(sample))
        let text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(field.name): \(field.value)\r\n\r\n"
        let bytes = Array(text.utf8)
        var parser = RequestHeadParser()
        guard try parser.parse(bytes.span) == .complete else { throw Refused() }
        var request = AuthorizationRequest(head: parser.head)
        // As if a fetch had confirmed the key ID as unknown.
        request.answer = .keys(.confirmedUnknown)
        return request
    }
}
