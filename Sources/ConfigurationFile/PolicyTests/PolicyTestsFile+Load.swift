import ProxySettings

extension PolicyTestsFile {
    /// Reads and checks a file of policy tests.
    ///
    /// - Parameters:
    ///   - configuration: configuration under test. The tests name its issuers, resources, rules and upstreams.
    ///   - samples: names of the known sample tokens.
    public static func load(
        path: String, for configuration: Configuration, samples: [String], environment: [String: String]
    ) -> LoadResult<PolicyTestsFile> {
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        do throws(Problem) {
            let file = try FileOnDisk(at: path, longest: Configuration.largestFile)
            return load(
                bytes: file.bytes, directory: String(directory), for: configuration, samples: samples,
                environment: environment)
        } catch {
            return .failure([error])
        }
    }

    /// Checks bytes as if they were the content of a file of tests in the directory.
    public static func load(
        bytes: [UInt8], directory: String, for configuration: Configuration, samples: [String],
        environment: [String: String]
    ) -> LoadResult<PolicyTestsFile> {
        // Test files name no certificates, so there is nothing to check.
        let reading = Reading(directory: directory, checkIdentity: TLSIdentityCheck { _, _ in })
        return LoadResult(of: bytes, reading, environment: environment) { root in
            var reader = PolicyTestsReader(configuration, samples: samples)
            return PolicyTestsFile(tests: reader.read(root))
        }
    }
}
