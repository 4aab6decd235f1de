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
    static let configuration = CommandConfiguration(
        abstract: "Check a configuration file and report every problem at once.",
        discussion: "Ends with 0 if there is no error, 78 if there is one, and 69 if only --online failed.")

    @OptionGroup var file: ConfigurationOptions

    @Flag(help: "Also fetch each issuer's metadata and key set.")
    var online = false

    @Option(help: "How to print it: text on standard error, or one JSON object on standard output.")
    var format = OutputFormat.text

    func run() async throws {
        StandardStreams.secure()
        let result = file.load()
        var report = CheckReport(file: file.name, problems: result.problems)
        if format == .text { result.problems.forEach(file.tell) }
        if case .success(let configuration, _) = result {
            report.summary = configuration.summary
            if online { report.found = await fetchKeySets(of: configuration) }
            if format == .text, !report.isUnreachable { StandardStreams.message("\(file.name): fine (\(configuration.summary))") }
        }
        if format == .json { try StandardStreams.data(report.json) }
        guard report.summary != nil else { throw ExitCode.configurationErrors }
        if report.isUnreachable { throw ExitCode.unavailable }
    }

    /// What each key set was like; told as it comes.
    private func fetchKeySets(of configuration: Configuration) async -> [Problem] {
        var all: [Problem] = []
        for (issuer, place) in zip(configuration.issuers, configuration.issuerPlaces) {
            for (index, keySet) in issuer.keySets.indexed {
                let found = await look(keySet, index, of: place)
                all.append(found)
                if format == .text { file.tell(found) }
            }
        }
        return all
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

/// How a command prints what it found.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable { case text, json }
