import IssuerProfiles
import Testing
import TokenVerification

struct EntraIssuerSlipTests {
    private static let guid = "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"

    @Test(arguments: [
        ("https://login.microsoftonline.com/common/v2.0", "tenant: common"),
        ("https://LOGIN.microsoftonline.com/organizations", "tenant: organizations"),
        ("https://login.microsoftonline.us/consumers/v2.0", "tenant: consumers"),
        ("https://sts.windows.net/common/", "tenant: common"),
        ("https://login.partner.microsoftonline.cn/contoso.onmicrosoft.com/v2.0", "a GUID"),
    ])
    func `a word instead of a tenant id is reported, with what to write`(url: String, words: String) throws {
        let slip = try #require(EntraIssuerSlip(issuer: url))
        #expect(slip.hint.contains(words))
        #expect(slip.message.hasPrefix("no token has this `iss`"))
    }

    @Test(arguments: [
        "https://login.microsoftonline.com/\(guid)/v2.0", "https://sts.windows.net/\(guid)/",
        "https://login.microsoftonline.com",
        "https://login.microsoftonline.com/", "https://id.example/common/v2.0",
        "https://\(guid).ciamlogin.com/\(guid)/v2.0", "common", "",
    ])
    func `a possible issuer of tokens is not reported`(url: String) {
        #expect(EntraIssuerSlip(issuer: url) == nil)
    }

    @Test func `tokens of every tenant are still refused, and their hint says why`() throws {
        let refused = try #require(EntraIssuerSlip(issuer: "https://login.microsoftonline.com/common/v2.0"))
            .refusedIdentifiers
        for issuer in ["https://login.microsoftonline.com/\(Self.guid)/v2.0", "https://sts.windows.net/\(Self.guid)/"] {
            let found = try #require(refused.first { $0.identifier.matches(issuer) })
            #expect(found.rejection == .issuerMismatch)
            #expect(found.hint.contains("has the id of a tenant where the file's issuer has `common`"))
        }
        #expect(!refused.contains { $0.identifier.matches("https://login.microsoftonline.us/\(Self.guid)/v2.0") })
    }
}
