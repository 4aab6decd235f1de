import ArgumentParser
import ConfigurationFile
import Files
import FoundationEssentials
import IssuerProfiles
import JOSE
import KeySetFetching
import KeySets
import SystemPackage
import TransportSecurity

/// `bearward init`: write a first configuration file.
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a first configuration file.",
        discussion: """
            Asks for what is not given. The issuer's URL tells which of the known identity systems it is; of any other issuer the keys \
            tell the algorithms. No file is ever overwritten.
            """,
    )

    @Option(help: "The issuer's URL, the `iss` of its tokens.")
    var issuer: String?

    @Option(help: "The identity system instead.")
    var profile: IssuerProfile?

    @Option(help: "A parameter of the profile, NAME=VALUE; may be given several times.")
    var set: [String] = []

    @Option(help: "The API's URL, which is its resource identifier.")
    var api: String?

    @Option(help: "What `aud` is in the tokens, if it is not the API's URL; may be given several times.")
    var audience: [String] = []

    @Option(help: "A scope. GET needs the first, and everything else needs all others; may be given several times.")
    var scope: [String] = []

    @Option(help: "Where requests go.")
    var upstream: String?

    @Flag(help: "For a container: listen on every address, so that a published port leads there.")
    var container = false

    @Option(
        name: .shortAndLong, help: "The file to write; - is standard output.", completion: .file(extensions: ["yaml"]))
    var output = "bearward.yaml"

    @Flag(help: "Ask no issuer.")
    var offline = false

    func validate() throws {
        if issuer != nil, profile != nil { throw ValidationError("an issuer's URL and a profile exclude each other") }
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
        let chosen = try chosenIssuer(&questions)
        let api = try api ?? questions.answer("The API's URL, which is its resource identifier", option: "--api")
        let audiences = try audiences(of: chosen, api, &questions)
        let hasAsked = questions.hasAsked
        let scopes =
            scope.isEmpty && hasAsked
            ? questions.optional(
                "Its scopes: the one for reading, then those that all else needs (none: any valid token)") : nil
        let target = try target(&questions)
        return StarterFile(
            issuer: try await withAlgorithms(chosen), api: api, upstream: target, audiences: audiences,
            scopes: scopes?.split(separator: " ").map(String.init) ?? scope, isForContainer: container)
    }

    /// URL to which requests go. The usual upstream is on this machine, where a container reaches nothing.
    private func target(_ questions: inout Questions) throws -> String {
        if let upstream { return upstream }
        guard !container else {
            return try questions.answer("Where requests go, as the container reaches it", option: "--upstream")
        }
        let answer = questions.hasAsked ? questions.optional("Where requests go (\(StarterFile.usualUpstream))") : nil
        return answer ?? StarterFile.usualUpstream
    }

    // MARK: The issuer

    private func chosenIssuer(_ questions: inout Questions) throws -> StarterFile.Issuer {
        if let profile { return try filled(profile, [:], &questions) }
        let answer = try issuer ?? questions.answer("The issuer's URL, or a profile's name", option: "--issuer")
        if let named = IssuerProfile(rawValue: answer) { return try filled(named, [:], &questions) }
        guard let known = IssuerProfile.recognized(issuer: answer) else {
            guard set.isEmpty else {
                throw ValidationError("--set is for profiles, and \(answer) is of none that is known")
            }
            return .generic(url: answer, algorithms: [])
        }
        StandardStreams.tell(.note, "this is \(known.profile.title): profile \(known.profile.rawValue)")
        return try filled(known.profile, known.parameters, &questions)
    }

    /// Asks for required parameters that are neither given nor known.
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
            let question = "\(parameter.name): \(parameter.advice)"
            values[parameter.name] = try questions.answer(question, option: "--set \(parameter.name)=…")
        }
        return .profile(profile, parameters: values)
    }

    /// Some systems never write an API's URL into `aud`.
    private func audiences(of issuer: StarterFile.Issuer, _ api: String, _ questions: inout Questions) throws
        -> [String]
    {
        guard audience.isEmpty, case .profile(let profile, _) = issuer, let problem = profile.problem(withAudience: api)
        else {
            return audience
        }
        StandardStreams.tell(.note, "\(api) \(problem.message)")
        return [try questions.answer("What `aud` is in the tokens", option: "--audience")]
    }

    /// The algorithms of the issuer's keys, as far as the keys name theirs.
    private func withAlgorithms(_ issuer: StarterFile.Issuer) async throws -> StarterFile.Issuer {
        guard case .generic(let url, _) = issuer, !offline else { return issuer }
        do throws(KeySetFetchFailure) {
            let keys = try await OneTimeKeySet.load(KeySetConfiguration(source: .discovery(issuer: url), issuer: url))
            let named = keys.keys.map(\.algorithms.sole)
            // With a key that names none, the usual ones hold for all.
            return .generic(
                url: url, algorithms: SignatureAlgorithm.allCases.filter { !named.contains(nil) && named.contains($0) })
        } catch {
            StandardStreams.tell(.error, "\(error); --offline writes the file all the same")
            throw ExitCode.unavailable
        }
    }

    // MARK: The file

    /// Only a file that is fine is written.
    private func judge(_ text: String) async throws {
        let directory = output.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(output[...$0]) } ?? ""
        let environment = ProcessInfo.processInfo.environment
        let result = Configuration.load(
            bytes: Array(text.utf8), directory: directory, environment: environment, checkIdentity: .library)
        for problem in result.problems { StandardStreams.tell(problem, of: output) }
        guard case .success(let configuration, _) = result else {
            StandardStreams.tell(.error, "nothing was written: what was given does not make a file without errors")
            throw ExitCode.configurationErrors
        }
        guard !offline else { return }
        let found = await configuration.checkIssuers { StandardStreams.tell($0, of: output) }
        guard !found.contains(where: { $0.severity == .error }) else {
            StandardStreams.tell(.error, "nothing was written; --offline writes the file all the same")
            throw ExitCode.unavailable
        }
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
            // A full disk leaves the beginning of the file; it was not there before.
            try? FileManager.default.removeItem(atPath: output)
            StandardStreams.tell(.error, "\(output) cannot be written: \(error.words)")
            throw ExitCode.internalError
        }
        StandardStreams.tell(.note, "wrote \(output); next: bearward check --online \(output)")
    }
}

extension IssuerProfile: ExpressibleByArgument {}

/// Asks on standard error, and takes a line of standard input for each answer.
struct Questions {
    private(set) var hasAsked = false

    /// - Parameter option: what to give instead.
    mutating func answer(_ question: String, option: String) throws -> String {
        guard let answer = optional(question) else {
            throw ValidationError("\(option) is missing, and there was no answer")
        }
        return answer
    }

    /// Nil for an empty line, or at the end of the input.
    mutating func optional(_ question: String) -> String? {
        hasAsked = true
        StandardStreams.message("\(question):")
        let answer = readLine()?.split(separator: " ").joined(separator: " ")
        return answer?.isEmpty == false ? answer : nil
    }
}
