import YAMLTree

/// Parses the file's text into a tree in which every key and value has its position. The meaning of keys is not known
/// here.
enum DocumentParser {
    /// Tree of the file, with all its problems as YAML. The root is nil if there is no tree.
    static func parse(_ bytes: [UInt8], environment: [String: String]) -> (root: DocumentNode?, problems: [Problem]) {
        do throws(Problem) {
            let text = try MaskedText(SourceText(bytes))
            let (root, second) = try documents(of: text)
            var builder = DocumentBuilder(text: text, environment: environment)
            let tree = root.map { builder.node($0, path: .root, depth: 0) }
            if let second {
                let message = "a second document"
                builder.problems.append(
                    Problem(
                        .error, at: Position(second.mark), message: message, hint: "keep one, without `---` between"))
            }
            if tree == nil { builder.problems.append(Problem(.error, at: .start, message: "the file is empty")) }
            return (tree, builder.problems)
        } catch {
            return (nil, [error])
        }
    }

    private static func documents(of text: MaskedText) throws(Problem) -> (root: YAMLNode?, second: YAMLNode?) {
        do {
            var reader = YAMLReader(text.masked.text.utf8, deepest: DocumentBuilder.deepest)
            return (try reader.nextDocument(), try reader.nextDocument())
        } catch {
            throw problem(of: error, in: text.source)
        }
    }

    private static func problem(of error: YAMLError, in source: SourceText) -> Problem {
        let lines = [error.context?.mark.line, error.mark.line].compactMap { $0.map(source.line) }
        let circumstance = error.context.map { "\($0.text) from \(Position($0.mark)) " } ?? ""
        let position = Position(error.mark)
        return Problem(
            .error, at: position, message: "this is not YAML: \(circumstance)\(error.problem)",
            hint: SyntaxHint.hint(problem: error.problem, lines: lines),
            excerpt: Excerpt(line: source.line(position.line), column: position.column))
    }
}

/// Converts the YAML parser's nodes into ours: checks keys, resolves aliases, and replaces references to environment
/// variables.
private struct DocumentBuilder {
    let text: MaskedText
    let environment: [String: String]
    var problems: [Problem] = []
    private var anchors: [String: DocumentNode] = [:]
    /// Number of nodes that aliases were expanded to so far. Nil after the limit was exceeded.
    private var expanded: Int? = 0

    /// Most levels of nesting; a configuration needs ten.
    static let deepest = 64
    /// Most nodes that all aliases together may expand to.
    private static let mostExpanded = 100_000

    init(text: MaskedText, environment: [String: String]) {
        self.text = text
        self.environment = environment
    }

    mutating func node(_ node: YAMLNode, path: DocumentPath, depth: Int) -> DocumentNode {
        let position = Position(node.mark)
        guard depth < Self.deepest else {
            return unusable(position, path, "nested deeper than \(Self.deepest) levels")
        }
        reportTag(of: node, path)
        let built =
            switch node.content {
            case .scalar(let written, let isPlain): value(node, written, isPlain: isPlain, path, depth)
            case .sequence(let elements): self.elements(elements, at: position, path, depth)
            case .mapping(let members): self.members(members, at: position, path, depth)
            // Never reached for aliases: the text was masked before parsing.
            case .alias, .tooDeep: unusable(position, path, "an alias here")
            }
        if let anchor = node.anchor { anchors[text.restored(anchor)] = built }
        return built
    }

    private mutating func elements(_ sequence: [YAMLNode], at position: Position, _ path: DocumentPath, _ depth: Int)
        -> DocumentNode
    {
        var elements: [DocumentNode] = []
        for (index, element) in sequence.enumerated() {
            elements.append(node(element, path: path.index(index), depth: depth + 1))
        }
        return DocumentNode(.sequence(elements), at: position)
    }

    private mutating func members(
        _ mapping: [YAMLNode.Member], at position: Position, _ path: DocumentPath, _ depth: Int
    ) -> DocumentNode {
        var members: [DocumentNode.Member] = []
        var places: [String: Position] = [:]
        for member in mapping {
            let keyPosition = Position(member.key.mark)
            guard let key = key(member.key, path) else { continue }
            let value = node(member.value, path: path.key(key), depth: depth + 1)
            if let first = places[key] {
                report(keyPosition, path.key(key), "duplicate key; the first is at \(first)")
            } else if key == "<<" {
                report(
                    keyPosition, path.key(key), "merge keys are not supported",
                    hint: "write the keys out, or use an alias for a whole value")
            } else {
                places[key] = keyPosition
                members.append(DocumentNode.Member(key: key, keyPosition: keyPosition, value: value))
            }
        }
        return DocumentNode(.mapping(members), at: position)
    }

    private mutating func key(_ node: YAMLNode, _ path: DocumentPath) -> String? {
        let position = Position(node.mark)
        reportTag(of: node, path)
        guard case .scalar(let written, let isPlain) = node.content else {
            report(
                position, path, "a key must be text, not a list or a mapping",
                hint: "quote a key that begins with `{` or `[`")
            return nil
        }
        if isAlias(written, isPlain: isPlain) {
            let key = text.restored(written)
            // HTTP routers often write a rule for every method like this.
            let isRule = key.hasPrefix("* /")
            report(
                position, path, "an alias cannot be a key",
                hint: isRule ? "write `ANY\(key.dropFirst())` for every method" : "quote a key that begins with `*`")
            return nil
        }
        let key = text.restored(written)
        if let anchor = node.anchor {
            let content = ScalarText(text: key, isPlain: isPlain, isSubstituted: false)
            anchors[text.restored(anchor)] = DocumentNode(.scalar(content), at: position)
        }
        return key
    }

    // MARK: Scalars

    private mutating func value(
        _ node: YAMLNode, _ masked: String, isPlain: Bool, _ path: DocumentPath, _ depth: Int
    ) -> DocumentNode {
        let (position, written) = (Position(node.mark), text.restored(masked))
        guard !isAlias(masked, isPlain: isPlain) else { return alias(written, of: node, path, depth) }
        do throws(Substitution.Rejection) {
            let result = written.contains("$") ? try Substitution.apply(to: written, environment: environment) : written
            return DocumentNode(
                .scalar(ScalarText(text: result, isPlain: isPlain, isSubstituted: written != result)), at: position)
        } catch {
            return unusable(position, path, error.message, hint: error.hint)
        }
    }

    private func isAlias(_ masked: String, isPlain: Bool) -> Bool {
        isPlain && masked.unicodeScalars.first == text.aliasMark
    }

    private mutating func alias(_ written: String, of node: YAMLNode, _ path: DocumentPath, _ depth: Int)
        -> DocumentNode
    {
        let position = Position(node.mark)
        let name = String(written.dropFirst())
        guard !name.isEmpty, name.unicodeScalars.allSatisfy(Self.isNameCharacter) else {
            return unusable(
                position, path, "`\(written)` begins with `*`, which means an alias in YAML",
                hint: "quote it: \"\(written)\"")
        }
        guard node.anchor == nil else { return unusable(position, path, "an alias cannot have an anchor") }
        guard let target = anchors[name] else {
            return unusable(
                position, path, "there is no anchor `&\(name)` before this alias",
                hint: "quote text that begins with `*`")
        }
        guard depth + target.height <= Self.deepest else {
            return unusable(position, path, "nested deeper than \(Self.deepest) levels")
        }
        guard let expanded else { return DocumentNode(.unusable, at: position) }
        guard expanded + target.count <= Self.mostExpanded else {
            self.expanded = nil
            return unusable(position, path, "the aliases stand for more than \(Self.mostExpanded) values")
        }
        self.expanded = expanded + target.count
        return DocumentNode(target.content, at: position)
    }

    private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "-"
            || scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }

    // MARK: Problems

    private mutating func reportTag(of node: YAMLNode, _ path: DocumentPath) {
        guard node.hasTag else { return }
        report(Position(node.mark), path, "tags are not supported", hint: "quote text that begins with `!`")
    }

    private mutating func report(_ position: Position, _ path: DocumentPath, _ message: String, hint: String? = nil) {
        problems.append(Problem(.error, at: position, keyPath: path.description, message: message, hint: hint))
    }

    private mutating func unusable(_ position: Position, _ path: DocumentPath, _ message: String, hint: String? = nil)
        -> DocumentNode
    {
        report(position, path, message, hint: hint)
        return DocumentNode(.unusable, at: position)
    }
}

extension Position {
    fileprivate init(_ mark: YAMLMark) {
        self.init(line: mark.line, column: mark.column)
    }
}
