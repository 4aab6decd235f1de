import FoundationEssentials
import JOSE
import ProxySettings
import TokenVerification

/// What came of reading a file.
public enum LoadResult: Sendable {
    /// The configuration, and what `serve` repeats at every start.
    case success(Configuration, warnings: [Problem])
    /// Every problem at once, in the order of the file; at least one is an error.
    case failure([Problem])

    /// Errors and warnings, in the order of the file.
    public var problems: [Problem] {
        switch self {
        case .success(_, let warnings): warnings
        case .failure(let problems): problems
        }
    }
}

extension Configuration {
    /// Reads and checks a file. Nothing but the file and the existence of those it names is looked at; no network.
    ///
    /// - Parameter checkIdentity: asked about every certificate and its key.
    public static func load(path: String, environment: [String: String], checkIdentity: TLSIdentityCheck) -> LoadResult
    {
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        let reading = Reading(directory: String(directory), checkIdentity: checkIdentity, advice: KeyAdvisor.advice())
        do throws(Problem) {
            let file = try FileOnDisk(at: path, longest: SourceText.largestFile)
            if file.isWritableByOthers {
                let message = "everyone on this machine may write this file, and so decide who gets in"
                reading.report(
                    Problem(.warning, at: .start, message: message, hint: "take the permission away: chmod o-w"))
            }
            return load(bytes: file.bytes, reading, environment: environment)
        } catch {
            return .failure([error])
        }
    }

    /// Checks bytes as if they were those of a file in the directory.
    ///
    /// - Parameter now: what is dated is over, or soon, by that time.
    public static func load(
        bytes: [UInt8], directory: String, environment: [String: String], checkIdentity: TLSIdentityCheck,
        at now: NumericDate = NumericDate(clock: Date().timeIntervalSince1970)
    ) -> LoadResult {
        load(
            bytes: bytes,
            Reading(directory: directory, checkIdentity: checkIdentity, at: now, advice: KeyAdvisor.advice()),
            environment: environment)
    }

    /// The most that is read of a file, in bytes; a larger one is refused.
    public static let largestFile = SourceText.largestFile

    private static func load(bytes: [UInt8], _ reading: Reading, environment: [String: String]) -> LoadResult {
        let document = DocumentParser.parse(bytes, environment: environment)
        for problem in document.problems { reading.report(problem) }
        let configuration = document.root.flatMap { root in
            FileReader(reading).read(Value(node: root, path: .root, keyPosition: root.position, reading: reading))
        }
        let problems = Set(reading.problems).sorted()
        guard var configuration, !reading.hasErrors else { return .failure(problems) }
        configuration.digest = document.root.flatMap { SHA256.hexadecimal(of: $0.meaning) }
        return .success(configuration, warnings: problems)
    }
}
