import FoundationEssentials
import JOSE
import ProxySettings
import TokenVerification

extension Configuration {
    /// Reads and checks a configuration file. It uses no network. Of other files it reads those with secrets,
    /// certificates and denied tokens.
    ///
    /// - Parameter checkIdentity: called for every certificate and its key.
    public static func load(path: String, environment: [String: String], checkIdentity: TLSIdentityCheck) -> LoadResult<
        Configuration
    > {
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        let reading = Reading(directory: String(directory), checkIdentity: checkIdentity, advice: KeyAdvisor.advice())
        do throws(Problem) {
            let file = try FileOnDisk(at: path, longest: SourceText.largestFile)
            if file.isWritableByOthers {
                let message = "every user of this machine may write this file, and so change who has access"
                reading.report(
                    Problem(
                        .warning, at: .start, message: message, hint: "remove the permission: chmod o-w",
                        weakens: .file))
            }
            return load(bytes: file.bytes, reading, environment: environment)
        } catch {
            return .failure([error])
        }
    }

    /// Checks bytes as if they were the content of a file in the directory.
    ///
    /// - Parameter now: time by which certificates and other dated content are judged.
    public static func load(
        bytes: [UInt8], directory: String, environment: [String: String], checkIdentity: TLSIdentityCheck,
        at now: NumericDate = NumericDate(clock: Date().timeIntervalSince1970)
    ) -> LoadResult<Configuration> {
        load(
            bytes: bytes,
            Reading(directory: directory, checkIdentity: checkIdentity, at: now, advice: KeyAdvisor.advice()),
            environment: environment)
    }

    /// Largest configuration file that is read, in bytes. A larger one is refused.
    public static let largestFile = SourceText.largestFile

    private static func load(bytes: [UInt8], _ reading: Reading, environment: [String: String]) -> LoadResult<
        Configuration
    > {
        LoadResult(of: bytes, reading, environment: environment) { root in
            var configuration = FileReader(reading).read(root)
            for setting in Set(reading.problems).compactMap(\.weakens) {
                configuration?.weakenings[setting, default: 0] += 1
            }
            configuration?.fileDigest = SHA256.hexadecimal(of: bytes.span)
            configuration?.digest = SHA256.hexadecimal(of: root.node.meaning)
            return configuration
        }
    }
}
