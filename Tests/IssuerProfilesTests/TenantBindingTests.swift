import IssuerProfiles
import ProviderFixtures
import Testing
import TokenVerification

/// All tenants' tokens have good signatures of the same keys, so every part of the binding between token and tenant is
/// attacked here.
@Suite struct TenantBindingTests {
    private static let tenant = "7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"
    private static let host = "https://login.microsoftonline.com"
    private static let anyTenant: [String: ParameterValue] = ["any_tenant": .boolean(true)]

    /// Rejection of `entra-id/access-v2` with other claims.
    private static func rejection(
        _ claims: String, header: String = "{}", _ sample: String = "access-v2", any: Bool = false
    ) throws
        -> TokenRejection?
    {
        let samples = ProviderSamples.of(.entraID)
        let sample = try #require(samples.sample(id: sample))
        let setup = try #require(samples.setup(for: sample))
        let gateway =
            try any ? SampleGateway(setup, without: "allowed_tenants", changing: anyTenant) : SampleGateway(setup)
        let token = try SampleGateway.ring.compactJWS(
            sample, header: JSONObjectPatch(header), payload: JSONObjectPatch(claims))
        do {
            _ = try gateway.verify(token)
            return nil
        } catch let rejection as TokenRejection {
            return rejection
        }
    }

    @Test(arguments: [
        "\(host)//v2.0", "\(host)/\(tenant)/x/v2.0", "\(host)/x/\(tenant)/v2.0", "\(host)/\(tenant)/v2.0/v2.0",
        "\(host)/\(tenant)",
        "\(host)/\(tenant)/V2.0", "\(host)/v2.0", "\(host).evil.example/\(tenant)/v2.0",
        "http://login.microsoftonline.com/\(tenant)/v2.0",
        "https://login.microsoftonline.us/\(tenant)/v2.0", "\(host)/\(tenant)/v2.0 ", "",
        "https://LOGIN.microsoftonline.com/\(tenant)/v2.0",
    ]) func `an issuer outside the issuer template is refused as an issuer mismatch`(_ issuer: String) throws {
        #expect(try Self.rejection(#"{"iss":"\#(issuer)"}"#) == .issuerMismatch)
        #expect(try Self.rejection(#"{"iss":"\#(issuer)"}"#, any: true) == .issuerMismatch)
    }

    @Test(arguments: [
        "{tenantid}", "%37c2d9a10-5e84-4b37-a1f6-0b93c8e2d755", " ", "7C2D9A10-5E84-4B37-A1F6-0B93C8E2D755", "common",
        "consumers",
    ])
    func `an issuer with another tenant than tid is refused`(_ slot: String) throws {
        #expect(try Self.rejection(#"{"iss":"\#(Self.host)/\#(slot)/v2.0"}"#) == .tenantMismatch)
        #expect(try Self.rejection(#"{"iss":"\#(Self.host)/\#(slot)/v2.0"}"#, any: true) == .tenantMismatch)
    }

    @Test(arguments: [
        #"{"tid":null}"#, #"{"tid":7}"#, #"{"tid":["7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"]}"#, #"{"tid":""}"#,
        #"{"tid":"common"}"#,
        #"{"tid":"7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755 "}"#, #"{"tid":"7c2d9a105e844b37a1f60b93c8e2d755"}"#,
    ]) func `a tid that is no GUID string is refused`(_ claims: String) throws {
        #expect(try Self.rejection(claims) == .tenantMismatch)
        #expect(try Self.rejection(claims, any: true) == .tenantMismatch)
    }

    @Test(arguments: ["TID", "Tid", "tID"]) func `a member whose name resembles tid is refused, whatever its value`(
        _ name: String
    )
        throws
    {
        #expect(try Self.rejection(#"{"\#(name)":"\#(Self.tenant)"}"#) == .tenantMismatch)
        #expect(try Self.rejection(#"{"\#(name)":"\#(Self.tenant)"}"#, any: true) == .tenantMismatch)
    }

    @Test func `a tenant in upper case is another tenant`() throws {
        let upper = Self.tenant.uppercased()
        #expect(try Self.rejection(#"{"tid":"\#(upper)"}"#) == .tenantNotAllowed)
        #expect(try Self.rejection(#"{"tid":"\#(upper)","iss":"\#(Self.host)/\#(upper)/v2.0"}"#) == .tenantNotAllowed)
        #expect(try Self.rejection(#"{"tid":"\#(upper)"}"#, any: true) == .tenantMismatch)
    }

    @Test func `an allowed tenant's token must have that tenant's issuer`() throws {
        let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"
        #expect(try Self.rejection(#"{"tid":"\#(consumers)"}"#) == .tenantMismatch)
        #expect(try Self.rejection(#"{"tid":"\#(TestIssuers.other)"}"#, any: true) == .tenantMismatch)
    }

    @Test func `another tenant's token is accepted only with any tenant allowed`() throws {
        let claims = #"{"tid":"\#(TestIssuers.other)","iss":"\#(Self.host)/\#(TestIssuers.other)/v2.0"}"#
        #expect(try Self.rejection(claims) == .tenantNotAllowed)
        #expect(try Self.rejection(claims, any: true) == nil)
    }

    @Test func `the key for personal accounts is refused for other tenants, even if any tenant is allowed`() throws {
        let samples = ProviderSamples.of(.entraID)
        let sample = try #require(samples.sample(id: "entra-3-consumer-key-for-work-tenant"))
        let setup = try #require(samples.setup(for: sample))
        let gateway = try SampleGateway(setup, without: "allowed_tenants", changing: Self.anyTenant)
        let token = try SampleGateway.ring.compactJWS(sample)
        #expect(throws: TokenRejection.keyIssuerMismatch) { try gateway.verify(token) }
    }

    @Test func `a key without an issuer is accepted for the tenants of its key set`() throws {
        // The keys of the version 1 document have no issuer.
        #expect(try Self.rejection("{}", "access-v1") == nil)
        #expect(
            try Self.rejection(#"{"iss":"https://sts.windows.net/\#(TestIssuers.other)/"}"#, "access-v1")
                == .tenantMismatch)
    }

    @Test func `a version 1 issuer without its final slash is refused`() throws {
        #expect(
            try Self.rejection(#"{"iss":"https://sts.windows.net/\#(Self.tenant)"}"#, "access-v1") == .issuerMismatch)
    }

    @Test func `a single-tenant configuration refuses other tenants by their issuer`() throws {
        let issuer = try TestIssuers.trusted(.entraID)
        let verifier = TokenVerifier(issuer: issuer)
        let refused = try #require(verifier.refusal(of: "\(Self.host)/\(TestIssuers.other)/v2.0"))
        #expect(refused.rejection == .issuerMismatch)
        #expect(verifier.refusal(of: "https://sts.windows.net/\(TestIssuers.tenant)/")?.rejection == .versionNotAllowed)
        #expect(verifier.refusal(of: "https://sts.windows.net/\(TestIssuers.other)/")?.rejection == .issuerMismatch)
    }

    @Test(arguments: [
        ("https://a.ciamlogin.com/a/v2.0", true), ("https://a.ciamlogin.com/b/v2.0", false),
        ("https://.ciamlogin.com//v2.0", false),
        ("https://a/a.ciamlogin.com/a/a/v2.0", false), ("https://aa.ciamlogin.com/a/v2.0", false),
        ("https://a.ciamlogin.com/aa/v2.0", false),
        ("https://a.ciamlogin.com/a/v2.0/", false), ("", false), ("https://é.ciamlogin.com/é/v2.0", true),
        ("https://é.ciamlogin.com/e\u{301}/v2.0", false),
    ]) func `an issuer template with the tenant in two places requires the same one in both`(
        _ issuer: String, _ belongs: Bool
    ) {
        #expect(IssuerIdentifier(template: "https://", ".ciamlogin.com/", "/v2.0").matches(issuer) == belongs)
    }
}
