import ProviderFixtures
import StrictJSON

/// Request of a client for a sample, with changes of it.
public struct SampleRequest: Sendable, Hashable {
    /// The sample's `id`; for a token of the provider its last part suffices.
    public var sample: String
    /// By the names that the provider's clients ask for; nil leaves the scopes of the sample.
    public var scopes: [String]?
    /// None leaves the audience of the sample.
    public var audiences: [String]
    /// Seconds from now to `exp`; negative for a token that has expired, issued an hour before. Nil leaves the
    /// sample's.
    public var lifetime: Int?
    /// More claims, as the text of a JSON object; they go before everything else.
    public var claims: String?

    public init(
        _ sample: String, scopes: [String]? = nil, audiences: [String] = [], lifetime: Int? = nil, claims: String? = nil,
    ) {
        self.sample = sample
        self.scopes = scopes
        self.audiences = audiences
        self.lifetime = lifetime
        self.claims = claims
    }

    /// The parameters of a token request (`POST /token`).
    init(_ form: FormParameters) throws(TokenEndpointError) {
        if let name = form.repeatedName(except: ["audience", "resource"]) { throw .repeatedParameter(name) }
        guard let sample = form["sample"] else { throw .missingParameter("sample") }
        self.init(
            sample, scopes: try form.scopes(), audiences: form.values("resource") + form.values("audience"),
            lifetime: try form.lifetime(), claims: form["claims"])
    }

    /// The extra claims as a change to a claims set.
    func extraClaims() throws(TokenEndpointError) -> JSONObjectPatch {
        guard let claims else { return JSONObjectPatch() }
        guard let root = try? JSONDocument(parsing: Array(claims.utf8), limits: .claimsSet).root, root.kind == .object
        else {
            throw .claimsNotJSONObject
        }
        return JSONObjectPatch(set: root)
    }
}
