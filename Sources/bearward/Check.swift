import ArgumentParser
import ConfigurationFile
import JOSE
import KeySetFetching
import RequestAuthorization
import TokenVerification

/// `bearward check`: say everything that is wrong with a file, without running anything.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check a configuration file and report every problem at once.")

    @OptionGroup var file: ConfigurationOptions

    @Flag(help: "Also fetch each issuer's metadata and key set.")
    var online = false

    func run() async throws {
        StandardStreams.secure()
        let configuration = try file.loadOrExit()
        if online { try await fetchKeySets(of: configuration) }
        StandardStreams.message("\(file.config): fine (\(configuration.summary))")
    }

    private func fetchKeySets(of configuration: Configuration) async throws {
        var failed = false
        let keySets = configuration.issuers.flatMap { issuer in issuer.keySets.map { (issuer, $0) } }
        for (issuer, keySet) in keySets {
            do {
                let keys = try await OneTimeKeySet.load(keySet)
                let skipped = keys.skipped.isEmpty ? "" : ", \(keys.skipped.count) not usable"
                StandardStreams.message("\(file.config): issuers.\(issuer.trusted.name): \(keys.keys.count) usable keys\(skipped)")
            } catch {
                failed = true
                StandardStreams.message("\(file.config): issuers.\(issuer.trusted.name): \(error)")
            }
        }
        if failed { throw ExitCode.unavailable }
    }
}

extension Configuration {
    fileprivate var summary: String {
        let rules = resources.reduce(0) { $0 + $1.policies.count }
        return "\(resources.count) resources, \(rules) rules, \(issuers.count) issuers"
    }
}
