import Testing

@testable import ProviderFixtures

struct ProviderSetupTests {
    @Test func `the first setup of each provider is the standard one`() {
        for samples in ProviderSamples.all {
            #expect(samples.setups.first?.variant == ProviderSetup.standard)
            #expect(Set(samples.setups.map(\.variant)).count == samples.setups.count)
        }
    }

    @Test func `every sample has a setup, and every setup has a sample`() {
        for samples in ProviderSamples.all {
            let used = Set((samples.tokens + samples.nearMisses).map(\.variant))
            #expect(used == Set(samples.setups.map(\.variant)), "\(samples.name)")
        }
    }

    @Test func `setups use existing key sets of the provider`() {
        for samples in ProviderSamples.all {
            let names = Set(samples.keySets.map(\.name))
            for setup in samples.setups { #expect(names.isSuperset(of: setup.keySets.names), "\(samples.name)") }
        }
    }

    @Test func `only profiles with a fixed audience have setups without audiences`() {
        let without = ProviderSamples.all.filter { samples in
            samples.setups.contains { setup in setup.audiences.isEmpty }
        }
        #expect(without.map(\.name) == [.firebase, .cognito, .firebaseAppCheck, .awsALB])
    }

    @Test func `the URL of a single key set is a parameter of the setup`() throws {
        let setup = try #require(ProviderSamples.of(.okta).setups.first)
        let parameters = setup.parameters { name in "http://127.0.0.1:1/" + name }
        #expect(
            parameters == [
                SetupParameter("issuer", .text("https://kestrel.okta.com/oauth2/default")),
                SetupParameter("jwks_uri", .text("http://127.0.0.1:1/keys")),
            ])
    }

    @Test func `a setup is written as a configuration file`() throws {
        let setup = try #require(ProviderSamples.of(.azureB2C).setups.first)
        let text = setup.yaml(issuer: "customers", place: "/api", upstream: "http://127.0.0.1:9000") { name in
            "http://127.0.0.1:9100/" + name
        }
        #expect(
            text == """
                issuers:
                  customers:
                    profile: azure-b2c
                    tenant_name: rotkiefer
                    tenant_id: c19e5f08-43a7-4d96-b20c-fa6817d3e592
                    policies: [B2C_1_susi, B2C_1A_signup]
                    jwks_uri:
                      B2C_1_susi: http://127.0.0.1:9100/B2C_1_susi
                      B2C_1A_signup: http://127.0.0.1:9100/B2C_1A_signup

                resources:
                  orders:
                    audiences: [6e70b3c5-d812-4f49-a3e6-910f5c8b27d4]
                    at: [/api]
                    issuers: [customers]
                    upstream: http://127.0.0.1:9000
                    strip_prefix: true
                    rules:
                      GET /orders/**: tasks.read
                      POST /orders: tasks.write
                      GET /me: authenticated

                """)
    }

    @Test func `a setup whose identifier is the audience has no list of audiences`() throws {
        let setup = try #require(ProviderSamples.of(.logto).setups.last)
        let lines = text(of: setup)
        #expect(lines.contains("  https://shopping.your-app.com/api:"))
        #expect(lines.contains("    allow_m2m: false"))
        #expect(lines.contains(#"      GET /orgs/{org}/orders: {all_of: [read], organization: "{org}"}"#))
        #expect(!lines.contains { line in line.contains("audiences") })
    }

    @Test func `numeric texts are written without quotes`() throws {
        let setup = try #require(ProviderSamples.of(.zitadel).setups.first)
        let lines = text(of: setup)
        #expect(lines.contains("    org_ids: [2840]"))
        #expect(lines.contains("    audiences: [280998627474669570]"))
        #expect(lines.contains("      POST /orders: {roles: [staff]}"))
    }

    @Test func `text that YAML would read differently is quoted`() {
        let texts = ["no", "*", "a: b", "{tenantid}", "a b", "say \"hi\"", "", "/api", "http://[::1]:1"]
        let written = [
            #""no""#, #""*""#, #""a: b""#, #""{tenantid}""#, "a b", #""say \"hi\"""#, #""""#, "/api",
            #""http://[::1]:1""#,
        ]
        #expect(texts.map(YAMLScalar.written) == written)
    }

    private func text(of setup: ProviderSetup) -> [String] {
        setup.yaml(issuer: "sample", place: "/api", upstream: "http://127.0.0.1:9") { name in
            "http://127.0.0.1:1/" + name
        }
        .split(separator: "\n").map(String.init)
    }
}
