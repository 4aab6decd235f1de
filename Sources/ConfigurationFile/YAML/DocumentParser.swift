import Yams

/// Reads the file's text into a tree in which every key and value knows its place. Nothing is known here of what keys mean.
enum DocumentParser {
    /// The tree, and everything that is wrong with it as YAML; nil if there is no tree.
    static func parse(_ bytes: [UInt8], environment: [String: String]) -> (root: DocumentNode?, problems: [Problem]) {
        do throws(Problem) {
            var text = try MaskedText(SourceText(bytes))
            let (parser, root, second) = try compose(&text)
            // The nodes hold their anchors weakly; the parser holds them for good.
            return withExtendedLifetime(parser) {
                var builder = DocumentBuilder(text: text, environment: environment)
                let tree = root.map { builder.node($0, path: .root, depth: 0) }
                if let second {
                    let message = "a second document"
                    builder.problems.append(
                        Problem(.error, at: position(of: second), message: message, hint: "keep one, without `---` between"))
                }
                if tree == nil { builder.problems.append(Problem(.error, at: .start, message: "the file is empty")) }
                return (tree, builder.problems)
            }
        } catch {
            return (nil, [error])
        }
    }

    private typealias Composition = (parser: Parser, root: Node?, second: Node?)

    /// Composes the document; each duplicate key is masked, and the document composed once more.
    private static func compose(_ text: inout MaskedText) throws(Problem) -> Composition {
        while true {
            do {
                let parser = try Parser(yaml: text.masked.text, resolver: .basic, encoding: .utf8)
                return (parser, try parser.nextRoot(), try parser.nextRoot())
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let position = Position(context.mark)
                guard text.maskKey(at: position) else {
                    throw Problem(.error, at: position, keyPath: names.first.map(text.restored) ?? "", message: "duplicate key")
                }
            } catch {
                throw problem(of: error, in: text.source)
            }
        }
    }

    private static func problem(of error: any Error, in source: SourceText) -> Problem {
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _), YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            let lines = [context?.mark.line, mark.line].compactMap { $0.map(source.line) }
            let circumstance = context.map { "\($0.text) from \(Position($0.mark)) " } ?? ""
            return Problem(
                .error, at: Position(mark), message: "this is not YAML: \(circumstance)\(problem)",
                hint: SyntaxHint.hint(problem: problem, lines: lines),
                excerpt: Excerpt(line: source.line(Position(mark).line), column: Position(mark).column))
        default:
            return Problem(.error, at: .start, message: "this is not YAML")
        }
    }

    private static func position(of node: Node) -> Position {
        node.mark.map { Position($0) } ?? .start
    }
}

/// Turns the parser's nodes into ours: keys checked, aliases resolved, references to the environment replaced.
private struct DocumentBuilder {
    let text: MaskedText
    let environment: [String: String]
    var problems: [Problem] = []
    private var anchors: [String: DocumentNode] = [:]
    /// Nodes that aliases stood for so far; nil once they were too many.
    private var expanded: Int? = 0
    private var tags: Set<Position> = []

    /// Levels of collections; a configuration needs ten.
    private static let deepest = 64
    /// Nodes that aliases may stand for in all.
    private static let mostExpanded = 100_000

    init(text: MaskedText, environment: [String: String]) {
        self.text = text
        self.environment = environment
    }

    mutating func node(_ node: Node, path: DocumentPath, depth: Int) -> DocumentNode {
        let position = node.mark.map { Position($0) } ?? .start
        guard depth < Self.deepest else {
            return unusable(position, path, "nested deeper than \(Self.deepest) levels")
        }
        reportTag(at: position, path)
        let built =
            switch node {
            case .scalar(let scalar): value(scalar, at: position, path, depth)
            case .sequence(let sequence): elements(sequence, at: position, path, depth)
            case .mapping(let mapping): members(mapping, at: position, path, depth)
            case .alias: unusable(position, path, "an alias here")
            }
        if let anchor = node.anchor { anchors[text.restored(anchor.rawValue)] = built }
        return built
    }

    private mutating func elements(_ sequence: Node.Sequence, at position: Position, _ path: DocumentPath, _ depth: Int) -> DocumentNode {
        var elements: [DocumentNode] = []
        for (index, element) in sequence.enumerated() { elements.append(node(element, path: path.index(index), depth: depth + 1)) }
        return DocumentNode(.sequence(elements), at: position)
    }

    private mutating func members(_ mapping: Node.Mapping, at position: Position, _ path: DocumentPath, _ depth: Int) -> DocumentNode {
        var members: [DocumentNode.Member] = []
        var places: [String: Position] = [:]
        for (keyNode, valueNode) in mapping {
            let keyPosition = keyNode.mark.map { Position($0) } ?? position
            guard let key = key(keyNode, at: keyPosition, path) else { continue }
            let value = node(valueNode, path: path.key(key), depth: depth + 1)
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

    private mutating func key(_ node: Node, at position: Position, _ path: DocumentPath) -> String? {
        reportTag(at: position, path)
        guard case .scalar(let scalar) = node else {
            report(position, path, "a key must be text, not a list or a mapping", hint: "quote a key that begins with `{` or `[`")
            return nil
        }
        if isAlias(scalar) {
            report(position, path, "an alias cannot be a key", hint: "quote a key that begins with `*`")
            return nil
        }
        let key = text.restored(scalar.string)
        if let anchor = scalar.anchor {
            anchors[text.restored(anchor.rawValue)] = DocumentNode(.scalar(plain(key, scalar)), at: position)
        }
        return key
    }

    // MARK: Scalars

    private mutating func value(_ scalar: Node.Scalar, at position: Position, _ path: DocumentPath, _ depth: Int) -> DocumentNode {
        let written = text.restored(scalar.string)
        guard !isAlias(scalar) else { return alias(written, of: scalar, at: position, path, depth) }
        guard written.contains("$") else { return DocumentNode(.scalar(plain(written, scalar)), at: position) }
        do throws(Substitution.Rejection) {
            let result = try Substitution.apply(to: written, environment: environment)
            let content = ScalarText(text: result, isPlain: scalar.style == .plain, isSubstituted: written != result)
            return DocumentNode(.scalar(content), at: position)
        } catch {
            return unusable(position, path, error.message, hint: error.hint)
        }
    }

    private func plain(_ text: String, _ scalar: Node.Scalar) -> ScalarText {
        ScalarText(text: text, isPlain: scalar.style == .plain, isSubstituted: false)
    }

    private func isAlias(_ scalar: Node.Scalar) -> Bool {
        scalar.style == .plain && scalar.string.unicodeScalars.first == text.aliasMark
    }

    private mutating func alias(
        _ written: String, of scalar: Node.Scalar, at position: Position, _ path: DocumentPath, _ depth: Int
    ) -> DocumentNode {
        let name = String(written.dropFirst())
        guard !name.isEmpty, name.unicodeScalars.allSatisfy(Self.isNameCharacter) else {
            return unusable(position, path, "`\(written)` begins with `*`, which means an alias in YAML", hint: "quote it: \"\(written)\"")
        }
        guard scalar.anchor == nil else { return unusable(position, path, "an alias cannot have an anchor") }
        guard let target = anchors[name] else {
            return unusable(position, path, "there is no anchor `&\(name)` before this alias", hint: "quote text that begins with `*`")
        }
        guard depth + target.height <= Self.deepest else { return unusable(position, path, "nested deeper than \(Self.deepest) levels") }
        guard let expanded else { return DocumentNode(.unusable, at: position) }
        guard expanded + target.count <= Self.mostExpanded else {
            self.expanded = nil
            return unusable(position, path, "the aliases stand for more than \(Self.mostExpanded) values")
        }
        self.expanded = expanded + target.count
        return DocumentNode(target.content, at: position)
    }

    private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "-" || scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }

    // MARK: Problems

    /// The parser does not tell all tags, so the text is looked at: properties stand before everything else of a node.
    private mutating func reportTag(at position: Position, _ path: DocumentPath) {
        guard var index = text.source.index(of: position) else { return }
        let scalars = text.source.scalars
        if scalars[index] == "&" {
            while index < scalars.count, scalars[index] != " ", scalars[index] != "\n" { index += 1 }
            while index < scalars.count, scalars[index] == " " { index += 1 }
        }
        guard index < scalars.count, scalars[index] == "!", tags.insert(position).inserted else { return }
        report(position, path, "tags are not supported", hint: "quote text that begins with `!`")
    }

    private mutating func report(_ position: Position, _ path: DocumentPath, _ message: String, hint: String? = nil) {
        problems.append(Problem(.error, at: position, keyPath: path.description, message: message, hint: hint))
    }

    private mutating func unusable(_ position: Position, _ path: DocumentPath, _ message: String, hint: String? = nil) -> DocumentNode {
        report(position, path, message, hint: hint)
        return DocumentNode(.unusable, at: position)
    }
}

extension Position {
    fileprivate init(_ mark: Mark) {
        self.init(line: mark.line, column: mark.column)
    }
}
