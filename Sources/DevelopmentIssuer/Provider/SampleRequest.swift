import ProviderFixtures
import StrictJSON

/// Request for a sample token, with changes to it.
public struct SampleRequest: Sendable, Hashable {
    /// The sample's `id`. For a token of the provider the part after the slash suffices.
    public var sample: String
    /// Scopes by the names that the provider's clients request. Nil keeps those of the sample.
    public var scopes: [String]?
    /// Values of `aud`. Empty keeps those of the sample.
    public var audiences: [String]
    /// Seconds from now to `exp`. Negative for a token that has expired and was issued an hour before that. Nil keeps
    /// the sample's lifetime.
    public var lifetime: Int?
    /// Additional claims, as the text of a JSON object. They override all others. Nil adds none.
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

    /// Reads the parameters of `POST /token`.
    init(_ form: FormParameters) throws(TokenEndpointError) {
        if let name = form.repeatedName(except: ["audience", "resource"]) { throw .repeatedParameter(name) }
        guard let sample = form["sample"] else { throw .missingParameter("sample") }
        self.init(
            sample, scopes: try form.scopes(), audiences: form.values("resource") + form.values("audience"),
            lifetime: try form.lifetime(), claims: form["claims"])
    }

    /// The additional claims as a change of a claims set.
    func extraClaims() throws(TokenEndpointError) -> JSONObjectPatch {
        guard let claims else { return JSONObjectPatch() }
        guard let root = try? JSONDocument(parsing: Array(claims.utf8), limits: .claimsSet).root, root.kind == .object
        else {
            throw .claimsNotJSONObject
        }
        return JSONObjectPatch(set: root)
    }
}
