import ArgumentParser
import ConfigurationFile
import JOSE
import KeySetFetching
import KeySets
import RequestAuthorization
import TokenVerification
import TypedIndices

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
        for (issuer, place) in zip(configuration.issuers, configuration.issuerPlaces) {
            for (index, keySet) in issuer.keySets.indexed {
                let found = await look(keySet, index, of: place)
                failed = failed || found.severity == .error
                StandardStreams.message(found.rendered(file: file.config))
            }
        }
        if failed { throw ExitCode.unavailable }
    }

    private func look(_ keySet: KeySetConfiguration, _ index: KeySetIndex, of place: IssuerPlace) async -> Problem {
        do throws(KeySetFetchFailure) {
            let keys = try await OneTimeKeySet.load(keySet)
            return place.keysFound(keySet: index, usable: keys.keys.count, skipped: keys.skipped.count)
        } catch {
            return place.problem(.error, keySet: index, "\(error)")
        }
    }
}
