import ArgumentParser
import ConfigurationFile
import Files
import FoundationEssentials
import IssuerProfiles
import JOSE
import KeySetFetching
import KeySets
import SystemPackage
import TokenVerification
import TransportSecurity

/// `bearward init`: writes a first configuration file.
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a first configuration file.",
        discussion: """
            Asks for missing values, and again after a mistake. The issuer's URL shows which of the known identity systems it is. \
            Its metadata offers scopes and introspection, and its keys show the algorithms. No file is ever overwritten.
            """,
    )

    @Option(help: "The issuer's URL, the `iss` of its tokens.")
    var issuer: String?

    @Option(help: "The identity system (profile), instead of --issuer.")
    var profile: IssuerProfile?

    @Option(help: "A parameter of the profile, NAME=VALUE; may be given several times.")
    var set: [String] = []

    @Option(help: "The API's URL, which is its resource identifier.")
    var api: String?

    @Option(help: "The value of `aud` in the tokens, if it is not the API's URL; may be given several times.")
    var audience: [String] = []

    @Option(help: "A scope. GET needs the first, and everything else needs all others; may be given several times.")
    var scope: [String] = []

    @Option(help: "The URL that requests are forwarded to.")
    var upstream: String?

    @Option(help: "The client ID for introspection of opaque tokens; needs --introspect-secret-file.")
    var introspectClient: String?

    @Option(help: "The file with that client's secret.", completion: .file())
    var introspectSecretFile: String?

    @Flag(
        help: "For a container: listen on all addresses, and answer private networks at the admin listener, for probes."
    )
    var container = false

    @Option(
        name: .shortAndLong, help: "The file to write; - is standard output.", completion: .file(extensions: ["yaml"]))
    var output = "bearward.yaml"

    @Flag(help: "Ask no issuer.")
    var offline = false

    func validate() throws {
        if issuer != nil, profile != nil { throw ValidationError("an issuer's URL and a profile exclude each other") }
        if (introspectClient == nil) != (introspectSecretFile == nil) {
            throw ValidationError("--introspect-client and --introspect-secret-file belong together")
        }
        if let wrong = set.first(where: { !$0.contains("=") }) { throw ValidationError("'\(wrong)' is not NAME=VALUE") }
        if output != "-", FileManager.default.fileExists(atPath: output) {
            throw ValidationError("\(output) is there already, and no file is overwritten; name another with --output")
        }
    }

    func run() async throws {
        var questions = Questions()
        let text = try await file(&questions).text
        try await judge(text)
        try write(text)
    }

    private func file(_ questions: inout Questions) async throws -> StarterFile {
        var file = Self.draft(try chosenIssuer(&questions))
        file.isForContainer = container
        file.api =
            try api
            ?? questions.answer("The API's URL, which is its resource identifier", option: "--api") { answer in
                complaint(about: "resources", in: file.with { $0.api = answer })
            }
        let metadata = try await reach(&file.issuer, &questions)
        file.audiences = try audiences(of: file.issuer, file.api, &questions)
        file.scopes = try scopes(of: metadata, file, &questions)
        file.upstream = try target(file, &questions)
        file.introspection = try introspection(of: metadata, file, &questions)
        return file
    }

    /// Scopes of the API. The issuer's metadata may list some to choose from.
    private func scopes(of metadata: IssuerMetadata?, _ file: StarterFile, _ questions: inout Questions) throws
        -> [String]
    {
        guard scope.isEmpty, questions.hasAsked else { return scope }
        let listed = (metadata?.scopes ?? []).filter { !Self.scopesOfSignIn.contains($0) }
        let offer = listed.isEmpty ? "" : "; the issuer lists \(listed.prefix(20).joined(separator: " "))"
        let question =
            "Its scopes: first the one for GET, then those for other methods (empty: any valid token\(offer))"
        let answer = try questions.optional(question) { answer in
            complaint(about: "rules", in: file.with { $0.scopes = Self.words(answer) })
        }
        return answer.map(Self.words) ?? []
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// URL that requests are forwarded to. The default upstream is on this machine, which a container cannot reach.
    private func target(_ file: StarterFile, _ questions: inout Questions) throws -> String {
        if let upstream { return upstream }
        let wrong: (String) -> String? = { answer in
            complaint(about: "upstream", in: file.with { $0.upstream = answer })
        }
        guard !container else {
            return try questions.answer(
                "The URL that requests are forwarded to, as the container reaches it", option: "--upstream",
                complaint: wrong)
        }
        guard questions.hasAsked else { return StarterFile.usualUpstream }
        return try questions.optional(
            "The URL that requests are forwarded to (\(StarterFile.usualUpstream))", complaint: wrong)
            ?? StarterFile.usualUpstream
    }

    /// Settings for introspection of opaque tokens. Nil if the issuer's metadata names no endpoint, or if it is not
    /// wanted.
    private func introspection(of metadata: IssuerMetadata?, _ file: StarterFile, _ questions: inout Questions) throws
        -> StarterFile.Introspection?
    {
        if let introspectClient, let introspectSecretFile {
            return StarterFile.Introspection(clientID: introspectClient, secretFile: introspectSecretFile)
        }
        guard questions.hasAsked, case .success(let endpoint)? = metadata?.introspectionEndpoint,
            let client = try questions.optional(
                "The issuer offers introspection at \(endpoint). Client ID for it (empty: opaque tokens are rejected)"
            )
        else { return nil }
        let secret = try questions.answer("The file with that client's secret", option: "--introspect-secret-file") {
            answer in
            complaint(
                about: "opaque", in: file.with { $0.introspection = .init(clientID: client, secretFile: answer) })
        }
        return StarterFile.Introspection(clientID: client, secretFile: secret)
    }

    // MARK: Answers

    /// File that is checked before its API and upstream are known.
    private static func draft(_ issuer: StarterFile.Issuer) -> StarterFile {
        StarterFile(issuer: issuer, api: "https://api.example.com", upstream: StarterFile.usualUpstream)
    }

    /// Scopes of sign-in, which belong to no API.
    private static let scopesOfSignIn: Set = ["openid", "profile", "email", "address", "phone", "offline_access"]

    /// The first error about one part of a file that contains an answer. Nil if there is none.
    private func complaint(about part: String, in file: StarterFile) -> String? {
        let problems = load(file.text).problems
        return problems.first { $0.severity == .error && $0.keyPath.contains(part) }.map {
            $0.message + ($0.hint.map { "; " + $0 } ?? "")
        }
    }

    // MARK: The issuer

    /// Adds the algorithms of the issuer's keys, and returns its metadata. If the issuer cannot be reached, asks for
    /// another one. Nil with `--offline`, or without metadata.
    private func reach(_ reached: inout StarterFile.Issuer, _ questions: inout Questions) async throws
        -> IssuerMetadata?
    {
        guard !offline else { return nil }
        while true {
            do throws(KeySetFetchFailure) {
                reached = try await withAlgorithms(reached)
                return await metadata(of: reached)
            } catch {
                guard issuer == nil, profile == nil, !questions.isOver else {
                    StandardStreams.tell(.error, "\(error); --offline writes the file anyway")
                    throw ExitCode.unavailable
                }
                questions.reject("\(error)")
            }
            reached = try chosenIssuer(&questions)
        }
    }

    /// Metadata that refers to the issuer's keys. Nil if there is none, or if it cannot be fetched.
    private func metadata(of issuer: StarterFile.Issuer) async -> IssuerMetadata? {
        guard case .success(let configuration, _) = load(Self.draft(issuer).text),
            let keySet = configuration.issuers.first?.keySets.first
        else { return nil }
        return try? await OneTimeKeySet.metadata(keySet)
    }

    private func chosenIssuer(_ questions: inout Questions) throws -> StarterFile.Issuer {
        if let profile { return try filled(profile, [:], &questions) }
        let answer =
            try issuer
            ?? questions.answer("The issuer's URL, or a profile's name", option: "--issuer", complaint: issuerComplaint)
        if let named = IssuerProfile(rawValue: answer) { return try filled(named, [:], &questions) }
        guard let known = IssuerProfile.recognized(issuer: answer) else {
            guard set.isEmpty else {
                throw ValidationError("--set is for profiles, and no profile is known for \(answer)")
            }
            return .generic(url: answer, algorithms: [])
        }
        StandardStreams.tell(.note, "this is \(known.profile.title): profile \(known.profile.rawValue)")
        return try filled(known.profile, known.parameters, &questions)
    }

    private func issuerComplaint(_ answer: String) -> String? {
        guard IssuerProfile(rawValue: answer) == nil, IssuerProfile.recognized(issuer: answer) == nil else {
            return nil
        }
        return complaint(about: "issuers", in: Self.draft(.generic(url: answer, algorithms: [])))
    }

    /// Asks for required parameters of the profile that are neither given nor recognized from the issuer's URL.
    private func filled(_ profile: IssuerProfile, _ known: [String: String], _ questions: inout Questions) throws
        -> StarterFile.Issuer
    {
        var values = known
        for parameter in set {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard profile.parameters.contains(where: { $0.name == parts[0] }) else {
                let names = profile.parameters.map(\.name).joined(separator: ", ")
                throw ValidationError("\(profile.rawValue) has no parameter '\(parts[0])'; it has \(names)")
            }
            values[parts[0]] = parts[1]
        }
        for parameter in profile.parameters where parameter.isRequired && values[parameter.name] == nil {
            let given = values
            values[parameter.name] = try questions.answer(
                "\(parameter.name): \(parameter.advice)", option: "--set \(parameter.name)=…"
            ) { answer in
                let parameters = given.merging([parameter.name: answer]) { $1 }
                return complaint(
                    about: ".\(parameter.name)", in: Self.draft(.profile(profile, parameters: parameters)))
            }
        }
        return .profile(profile, parameters: values)
    }

    /// Audiences of the API's tokens. Asks for one if the profile's system never writes the API's URL into `aud`.
    private func audiences(of issuer: StarterFile.Issuer, _ api: String, _ questions: inout Questions) throws
        -> [String]
    {
        guard audience.isEmpty, case .profile(let profile, _) = issuer, let problem = profile.problem(withAudience: api)
        else {
            return audience
        }
        StandardStreams.tell(.note, "\(api) \(problem.message)")
        let answer = try questions.answer("The value of `aud` in the tokens", option: "--audience") { answer in
            profile.problem(withAudience: answer).map { "\(answer) \($0.message)" }
        }
        return [answer]
    }

    /// Returns the issuer with the algorithms of its keys, if all keys name theirs.
    private func withAlgorithms(_ issuer: StarterFile.Issuer) async throws(KeySetFetchFailure) -> StarterFile.Issuer {
        guard case .generic(let url, _) = issuer else { return issuer }
        let keys = try await OneTimeKeySet.load(KeySetConfiguration(source: .discovery(issuer: url), issuer: url))
        let named = keys.keys.map(\.algorithms.sole)
        // If a key names none, the list stays empty and the default algorithms apply.
        return .generic(
            url: url, algorithms: SignatureAlgorithm.allCases.filter { !named.contains(nil) && named.contains($0) })
    }

    // MARK: The file

    /// Checks the file before it is written: only a valid file is written.
    private func judge(_ text: String) async throws {
        let result = load(text)
        // A file for a container names a directory of that container.
        for problem in result.problems where !(container && problem.keyPath == "state_directory") {
            StandardStreams.tell(problem, of: output)
        }
        guard case .success(let configuration, _) = result else {
            StandardStreams.tell(.error, "nothing was written: the answers do not give a valid file")
            throw ExitCode.configurationErrors
        }
        guard !offline else { return }
        let found = await configuration.checkIssuers { StandardStreams.tell($0, of: output) }
        guard !found.contains(where: { $0.severity == .error }) else {
            StandardStreams.tell(.error, "nothing was written; --offline writes the file anyway")
            throw ExitCode.unavailable
        }
    }

    private func load(_ text: String) -> LoadResult<Configuration> {
        let directory = output.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(output[...$0]) } ?? ""
        return Configuration.load(
            bytes: Array(text.utf8), directory: directory, environment: ProcessInfo.processInfo.environment,
            checkIdentity: .library)
    }

    private func write(_ text: String) throws {
        guard output != "-" else { return try StandardStreams.data(text) }
        do {
            try OpenFile(
                output, .writeOnly, [.create, .exclusiveCreate], permissions: [.ownerReadWrite, .groupRead, .otherRead]
            ).write(
                text.utf8)
        } catch .fileExists {
            throw ValidationError("\(output) is there already, and no file is overwritten; name another with --output")
        } catch {
            // With a full disk, an incomplete file may be left. It did not exist before, so it can be removed.
            try? FileManager.default.removeItem(atPath: output)
            StandardStreams.tell(.error, "\(output) cannot be written: \(error.words)")
            throw ExitCode.internalError
        }
        StandardStreams.tell(.note, "wrote \(output); next: bearward check --online \(output)")
    }
}

extension IssuerProfile: ExpressibleByArgument {}

extension StarterFile {
    /// A changed copy of the file.
    fileprivate func with(_ change: (inout StarterFile) -> Void) -> StarterFile {
        var copy = self
        change(&copy)
        return copy
    }
}
