import FoundationEssentials
import JOSE
import ProxySettings
import TokenVerification

extension Configuration {
    /// Reads and checks a file. Nothing but the file and the existence of those it names is looked at; no network.
    ///
    /// - Parameter checkIdentity: asked about every certificate and its key.
    public static func load(path: String, environment: [String: String], checkIdentity: TLSIdentityCheck) -> LoadResult<
        Configuration
    > {
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
    ) -> LoadResult<Configuration> {
        load(
            bytes: bytes,
            Reading(directory: directory, checkIdentity: checkIdentity, at: now, advice: KeyAdvisor.advice()),
            environment: environment)
    }

    /// The most that is read of a file, in bytes; a larger one is refused.
    public static let largestFile = SourceText.largestFile

    private static func load(bytes: [UInt8], _ reading: Reading, environment: [String: String]) -> LoadResult<
        Configuration
    > {
        LoadResult(of: bytes, reading, environment: environment) { root in
            var configuration = FileReader(reading).read(root)
            configuration?.digest = SHA256.hexadecimal(of: root.node.meaning)
            return configuration
        }
    }
}
