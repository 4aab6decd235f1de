import FoundationEssentials
import ProxySettings
import TokenVerification

/// One reading of one file: where relative paths begin, and the problems found so far.
final class Reading {
    /// The file's directory; empty for the current one.
    let directory: String
    /// Says whether certificates and keys that the file names can be used.
    let checkIdentity: TLSIdentityCheck
    /// When it is read: what is dated may be over.
    let now: NumericDate
    let advice: KeyAdvice
    private(set) var problems: [Problem] = []
    /// Tables of keys by section. Kept, because a file may have any number of one section.
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

    /// The table of a section's keys, made once.
    func table<Table>(of keys: Any.Type, _ make: () -> Table) -> Table {
        if let table = tables[ObjectIdentifier(keys)] as? Table { return table }
        let table = make()
        tables[ObjectIdentifier(keys)] = table
        return table
    }

    func report(_ problem: Problem) {
        problems.append(problem)
    }

    /// A path of the file, from where it is now.
    func resolve(_ path: String) -> String {
        guard !path.hasPrefix("/"), !directory.isEmpty else { return path }
        let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return directory.hasSuffix("/") ? directory + relative : directory + "/" + relative
    }
}
