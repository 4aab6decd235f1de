import Testing

@testable import TransportSecurity

@Suite struct ServerNameTableTests {
    static let table = ServerNameTable([
        ["example.com", "www.example.com"], ["*.example.com", "example.com"], ["*.deep.example.com"], [],
    ])

    @Test(arguments: [
        ("example.com", 0), ("www.example.com", 0), ("api.example.com", 1), ("a.deep.example.com", 2),
        ("deep.example.com", 1),
        ("EXAMPLE.com", 0), ("Api.Example.Com", 1), ("example.com.", 0),
    ])
    func `a server name finds its certificate, an exact name before a wildcard`(name: String, certificate: Int) {
        #expect(Self.table.certificate(for: name) == certificate)
    }

    @Test(
        arguments: [
            nil, "", ".", "com", "example.org", "a.b.example.com", ".example.com.", "*.example.org", "notexample.com",
        ] as [String?])
    func `a name without a certificate finds none, and a wildcard covers exactly one label`(name: String?) {
        #expect(Self.table.certificate(for: name) == nil)
    }
}
