import ConfigurationFile
import ProxySettings
import Testing

struct ConfiguredTargetTests {
    private static let text = """
        issuers: {a: {issuer: https://a.example, token_type: at+jwt}}
        resources:
          one: {at: /1, issuers: [a], upstream: http://127.0.0.1:9001, rules: {GET /: authenticated}}
          two:
            at: /2
            issuers: [a]
            upstream: {/x: [http://127.0.0.1:9001, "http://[::1]:9002"], /: https://api.internal}
            rules: {GET /: authenticated}
          three: {at: /3, issuers: [a], upstream: https://api.internal, upstream_tls: {minimum_version: "1.3"}, rules: {GET /: authenticated}}
        """

    @Test func `each target is located where the file first names it`() throws {
        let found = try ProfiledIssuerTests.load(Self.text).targets.map {
            $0.problem(.note, "connected").rendered(file: "FILE")
        }
        #expect(
            found == [
                "FILE:3:41: note: resources.one.upstream: 127.0.0.1:9001: connected",
                "FILE:7:44: note: resources.two.upstream[\"/x\"][1]: [::1]:9002: connected",
                "FILE:7:69: note: resources.two.upstream[\"/\"]: api.internal:443: connected",
                "FILE:9:43: note: resources.three.upstream: api.internal:443: connected",
            ])
    }

    @Test func `every upstream target of the file is listed once`() throws {
        let configuration = try ProfiledIssuerTests.load(Self.text)
        #expect(Set(configuration.upstreams.flatMap(\.targets)) == Set(configuration.targets.map(\.target)))
        #expect(configuration.targets.count == 4)
    }
}
