import FoundationEssentials
import ProxySettings
import TokenVerification

/// State while one file is read: the base of relative paths, and the problems found so far.
final class Reading {
    /// Directory of the file; empty for the current one.
    let directory: String
    /// Checks whether certificates and keys that the file names can be used.
    let checkIdentity: TLSIdentityCheck
    /// Time of reading. Certificates and other dated content are judged by it.
    let now: NumericDate
    let advice: KeyAdvice
    private(set) var problems: [Problem] = []
    /// Tables of keys by section. They are cached because a file may have any number of sections of one kind.
    private var tables: [ObjectIdentifier: Any] = [:]

    init(
        directory: String, checkIdentity: TLSIdentityCheck,
        at now: NumericDate = NumericDate(clock: Date().timeIntervalSince1970), advice: KeyAdvice = .none
    ) {
        self.directory = directory
        self.checkIdentity = checkIdentity
        self.now = now
        self.advice = advice
    }

    var hasErrors: Bool { problems.contains { $0.severity == .error } }

    /// Table of a section's keys, made at the first call.
    func table<Table>(of keys: Any.Type, _ make: () -> Table) -> Table {
        if let table = tables[ObjectIdentifier(keys)] as? Table { return table }
        let table = make()
        tables[ObjectIdentifier(keys)] = table
        return table
    }

    func report(_ problem: Problem) {
        problems.append(problem)
    }

    /// Resolves a path of the file against the file's directory.
    func resolve(_ path: String) -> String {
        guard !path.hasPrefix("/"), !directory.isEmpty else { return path }
        let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return directory.hasSuffix("/") ? directory + relative : directory + "/" + relative
    }
}
