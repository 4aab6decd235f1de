import ProxySettings

/// What came of reading a file of tests.
public enum PolicyTestsResult: Sendable {
    case success(PolicyTestsFile, warnings: [Problem])
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

extension PolicyTestsFile {
    /// Reads and checks a file of tests.
    ///
    /// - Parameters:
    ///   - configuration: what the tests are about: they name its issuers, resources, rules and upstreams.
    ///   - samples: the names of the samples that there are.
    public static func load(
        path: String, for configuration: Configuration, samples: [String], environment: [String: String]
    ) -> PolicyTestsResult {
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

    /// Checks bytes as if they were those of a file in the directory.
    public static func load(
        bytes: [UInt8], directory: String, for configuration: Configuration, samples: [String],
        environment: [String: String]
    ) -> PolicyTestsResult {
        // Such a file names no certificates.
        let reading = Reading(directory: directory, checkIdentity: TLSIdentityCheck { _, _ in })
        let document = DocumentParser.parse(bytes, environment: environment)
        for problem in document.problems { reading.report(problem) }
        var reader = PolicyTestsReader(configuration, samples: samples)
        let tests = document.root.map { root in
            reader.read(Value(node: root, path: .root, keyPosition: root.position, reading: reading))
        }
        let problems = Set(reading.problems).sorted()
        guard let tests, !reading.hasErrors else { return .failure(problems) }
        return .success(PolicyTestsFile(tests: tests), warnings: problems)
    }
}
