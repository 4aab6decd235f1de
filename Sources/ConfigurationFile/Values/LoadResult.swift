/// Result of reading a file.
public enum LoadResult<Content: Sendable>: Sendable {
    /// Content of the file, with the warnings that `serve` repeats at every start.
    case success(Content, warnings: [Problem])
    /// All problems of the file in its order; at least one is an error.
    case failure([Problem])

    /// Problems of any severity, in the order of the file.
    public var problems: [Problem] {
        switch self {
        case .success(_, let warnings): warnings
        case .failure(let problems): problems
        }
    }

    /// Reads the bytes of a file.
    init(of bytes: [UInt8], _ reading: Reading, environment: [String: String], _ read: (Value) -> Content?) {
        let document = DocumentParser.parse(bytes, environment: environment)
        for problem in document.problems { reading.report(problem) }
        let content = document.root.flatMap {
            read(Value(node: $0, path: .root, keyPosition: $0.position, reading: reading))
        }
        let problems = Set(reading.problems).sorted()
        self =
            if let content, !reading.hasErrors {
                .success(content, warnings: problems)
            } else {
                .failure(problems)
            }
    }
}
