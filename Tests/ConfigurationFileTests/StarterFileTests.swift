import ConfigurationFile
import Foundation
import IssuerProfiles
import JOSE
import RequestAuthorization
import Testing
import TokenVerification

struct StarterFileTests {
    private static func problems(_ file: StarterFile) -> [String] {
        Configuration.load(text: file.text, directory: "", environment: [:]).problems.map { $0.rendered(file: "FILE") }
    }

    @Test(arguments: [
        [], ["orders:read"], ["orders:read", "orders:write", "orders:admin"], ["public", "authenticated"],
        ["orders:*", "true"],
    ])
    func `a starter file has no problems`(_ scopes: [String]) {
        let file = StarterFile(
            issuer: .generic(url: "https://id.example.com", algorithms: [.es256]), api: "https://api.example.com",
            upstream: StarterFile.usualUpstream, audiences: [], scopes: scopes)
        #expect(Self.problems(file) == [])
    }

    /// On another port, all requests for the API would be 404.
    @Test(arguments: [
        ("https://api.example.com", "127.0.0.1:8080", "127.0.0.1:9901"),
        ("http://127.0.0.1:23080/api", "127.0.0.1:23080", "127.0.0.1:9901"),
        ("http://127.0.0.2:23080", "127.0.0.2:23080", "127.0.0.1:9901"),
        ("http://localhost:23080", "127.0.0.1:23080", "127.0.0.1:9901"),
        ("http://[::1]:23080/api", "[0:0:0:0:0:0:0:1]:23080", "127.0.0.1:9901"),
        ("http://10.0.0.7:8443", "127.0.0.1:8443", "127.0.0.1:9901"),
        ("https://api.example.com:8443/v1", "127.0.0.1:8443", "127.0.0.1:9901"),
        ("http://127.0.0.1:9901", "127.0.0.1:9901", "127.0.0.1:9902"),
    ])
    func `a starter file listens at the port of the API's URL`(_ api: String, _ listen: String, _ admin: String)
        throws
    {
        let file = StarterFile(
            issuer: .generic(url: "https://id.example.com", algorithms: [.es256]), api: api,
            upstream: StarterFile.usualUpstream,
            audiences: [],
            scopes: [])
        #expect(Self.problems(file) == [], "\(file.text)")
        guard case .success(let configuration, _) = Configuration.load(text: file.text, directory: "", environment: [:])
        else { return }
        #expect(configuration.listen.map(\.address.text) == [listen])
        #expect(configuration.admin?.text == admin)
    }

    /// A published port leads to the container's own address, which is not known beforehand.
    @Test(arguments: [
        ("https://api.example.com", "0.0.0.0:8080"), ("http://127.0.0.1:23080/api", "0.0.0.0:23080"),
        ("http://localhost:8080/api", "0.0.0.0:8080"), ("http://[::1]:23080/api", "0.0.0.0:23080"),
    ])
    func `a starter file for a container listens on every address`(_ api: String, _ listen: String) throws {
        let file = StarterFile(
            issuer: .generic(url: "https://id.example.com", algorithms: [.es256]), api: api,
            upstream: "http://shop:9000",
            audiences: [], scopes: [], isForContainer: true)
        #expect(Self.problems(file) == [], "\(file.text)")
        guard case .success(let configuration, _) = Configuration.load(text: file.text, directory: "", environment: [:])
        else { return }
        #expect(configuration.listen.map(\.address.text) == [listen])
        #expect(configuration.admin?.text == "0.0.0.0:9901")
        #expect(configuration.adminClients?.count == 3)
        #expect(configuration.stateDirectory == "/var/lib/bearward")
    }

    /// A line for trials must not open more than the API's own path.
    @Test(arguments: [
        ("https://api.example.com", ["api.example.com", "127.0.0.1", "localhost"]),
        ("https://api.example.com:8443/v1", ["api.example.com:8443/v1", "127.0.0.1/v1", "localhost/v1"]),
        ("http://127.0.0.1:8080/v1", nil), ("urn:orders", nil), ("https://api.example.com/\u{2028}x: 1", nil),
    ])
    func `the line for trials has the API's own host and path`(_ api: String, _ places: [String]?) {
        let file = StarterFile(
            issuer: .generic(url: "https://id.example.com", algorithms: [.es256]), api: api,
            upstream: StarterFile.usualUpstream, audiences: [], scopes: [])
        let line = file.text.split(separator: "\n").first { $0.contains("# at: ") }
        #expect(
            line.map { $0.trimmingCharacters(in: .whitespaces) }
                == places.map { "# at: [\($0.map { "\"\($0)\"" }.joined(separator: ", "))]" })
        guard let places else { return }
        let text = file.text.replacing("# at: ", with: "at: ")
        guard
            case .success(let configuration, let problems) = Configuration.load(
                text: text, directory: "", environment: [:])
        else {
            Issue.record("\(text)")
            return
        }
        #expect(problems.isEmpty)
        #expect(configuration.protectedResources.first?.places.count == places.count)
    }

    @Test func `the commented lines for bearward deny are valid in place of the admin line`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "starter-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(
            at: directory.appending(path: "state"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let token = directory.appending(path: "admin-token").path
        #expect(
            FileManager.default.createFile(
                atPath: token, contents: Data(String(repeating: "a", count: 64).utf8),
                attributes: [.posixPermissions: 0o600]))
        let text = StarterFile(
            issuer: .generic(url: "https://id.example.com", algorithms: [.es256]), api: "https://api.example.com",
            upstream: StarterFile.usualUpstream
        ).text.replacing("\nadmin: 127.0.0.1:9901", with: "").replacing("# admin: ", with: "admin: ").replacing(
            "# state_directory: ", with: "state_directory: ")
        let loaded = Configuration.load(text: text, directory: directory.path, environment: [:])
        guard case .success(let configuration, let problems) = loaded else {
            Issue.record("\(loaded.problems.map { $0.rendered(file: "FILE") })")
            return
        }
        #expect(problems.isEmpty && configuration.takesDenials)
    }

    @Test(arguments: IssuerProfile.allCases)
    func `a starter file for a profile has the parameters that the profile requires`(_ profile: IssuerProfile) {
        var parameters: [String: String] = [:]
        for parameter in profile.parameters where parameter.isRequired {
            parameters[parameter.name] = parameter.example.filter { !"[]".contains($0) }
        }
        let isURL = profile.problem(withAudience: "https://api.example.com") == nil
        let file = StarterFile(
            issuer: .profile(profile, parameters: parameters), api: "https://api.example.com",
            upstream: StarterFile.usualUpstream,
            audiences: isURL
                ? [] : [profile == .googleIAP ? "/projects/7/apps/shop" : "0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70"],
            scopes: [])
        #expect(Self.problems(file).filter { $0.contains(": error: ") } == [], "\(file.text)")
    }

    @Test(
        arguments: ["true\n    plain_http: true", "${X}", "true # x", "{}"],
        ["realm_roles", "realm_url", "client_roles"])
    func `a parameter value of a starter file cannot add another key`(_ text: String, _ parameter: String) {
        var parameters = ["realm_url": "https://id.example.com/realms/shop"]
        parameters[parameter] = text
        let file = StarterFile(
            issuer: .profile(.keycloak, parameters: parameters),
            api: "https://api.example.com", upstream: StarterFile.usualUpstream, audiences: [], scopes: [])
        #expect(!file.text.contains("\n    plain_http"))
        for problem in Self.problems(file) { #expect(problem.contains("issuers.keycloak.\(parameter)"), "\(problem)") }
    }

    /// Input that must stay text: no part of it may become YAML or a variable.
    @Test(arguments: ["a: b", "x # y", "${HOME}", "$$", "\"", "'", "\\", "{}", "&a", "*a", "a\nb", "\u{2028}", "🐻"])
    func `values in a starter file are quoted`(_ text: String) {
        let file = StarterFile(
            issuer: .generic(url: "https://id.example.com", algorithms: []), api: "https://api.example.com",
            upstream: StarterFile.usualUpstream, audiences: [text], scopes: [])
        guard case .success(let configuration, _) = Configuration.load(text: file.text, directory: "", environment: [:])
        else {
            Issue.record("\(Self.problems(file))")
            return
        }
        #expect(configuration.protectedResources.first?.issuers.first?.audiences == [text])
    }
}

extension StarterFile {
    fileprivate init(
        issuer: Issuer, api: String, upstream: String, audiences: [String], scopes: [String],
        isForContainer: Bool = false
    ) {
        self.init(issuer: issuer, api: api, upstream: upstream)
        (self.audiences, self.scopes, self.isForContainer) = (audiences, scopes, isForContainer)
    }
}
