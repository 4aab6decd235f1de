import CYAML

/// Reads the documents of a UTF-8 text with libyaml, one after another.
///
/// It reads YAML 1.1 without its types: every scalar is text. Collections are built on an explicit stack, so that deep
/// nesting cannot exhaust the thread's stack. Not checked: that the text is UTF-8, repeated keys, and whether an alias
/// has an anchor.
@safe public struct YAMLReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let text: UnsafeMutableBufferPointer<UInt8>
    private let deepest: Int
    private var isOver = false

    /// Limit of the nesting below the deepest level. libyaml takes quadratic time in the depth, so reading stops there.
    private static let mostSkipped = 1000

    /// - Parameter deepest: the level from which on collections are ``YAMLNode/Content/tooDeep``. The document's root
    ///   is at level 0.
    public init(_ bytes: some Collection<UInt8>, deepest: Int) {
        unsafe text = .allocate(capacity: bytes.count)
        _ = unsafe text.initialize(from: bytes)
        unsafe parser = .allocate(capacity: 1)
        self.deepest = deepest
        unsafe yaml_parser_initialize(parser)
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe text.deallocate()
    }

    /// Reads the next document. Nil after the last one, and after one that is nested too deeply to be read to its end.
    ///
    /// Do not call it again after it has thrown.
    public mutating func nextDocument() throws(YAMLError) -> YAMLNode? {
        var builder = TreeBuilder(deepest: deepest)
        while !isOver {
            var event = unsafe yaml_event_t()
            guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw problem }
            defer { unsafe yaml_event_delete(&event) }
            switch unsafe event.type {
            case YAML_STREAM_END_EVENT, YAML_NO_EVENT: isOver = true
            case YAML_DOCUMENT_END_EVENT: return builder.root
            default: unsafe builder.add(event)
            }
            if builder.skipped > Self.mostSkipped {
                isOver = true
                return builder.closed()
            }
        }
        return nil
    }

    private var problem: YAMLError {
        let parser = unsafe parser.pointee
        let context = unsafe parser.context.map {
            unsafe YAMLError.Context(text: String(cString: $0), mark: YAMLMark(parser.context_mark))
        }
        let problem = unsafe parser.problem.map { unsafe String(cString: $0) } ?? "out of memory"
        return unsafe YAMLError(problem: problem, mark: YAMLMark(parser.problem_mark), context: context)
    }
}

/// Builds a tree from libyaml's events.
private struct TreeBuilder {
    let deepest: Int
    private(set) var root: YAMLNode?
    private var open: [OpenCollection] = []
    /// Number of open collections below the deepest level.
    private(set) var skipped = 0

    private struct OpenCollection {
        let isMapping: Bool
        let mark: YAMLMark
        let anchor: String?
        let hasTag: Bool
        /// The elements of a sequence, or the keys and values of a mapping in turn.
        var nodes: [YAMLNode] = []

        var content: YAMLNode.Content {
            guard isMapping else { return .sequence(nodes) }
            return .mapping(
                stride(from: 0, to: nodes.count - 1, by: 2).map {
                    YAMLNode.Member(key: nodes[$0], value: nodes[$0 + 1])
                })
        }

        func node(_ content: YAMLNode.Content) -> YAMLNode {
            YAMLNode(content: content, mark: mark, anchor: anchor, hasTag: hasTag)
        }
    }

    init(deepest: Int) {
        self.deepest = deepest
    }

    mutating func add(_ event: yaml_event_t) {
        let mark = unsafe YAMLMark(event.start_mark)
        switch unsafe event.type {
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            let text = unsafe String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let content = unsafe YAMLNode.Content.scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
            unsafe add(YAMLNode(content: content, mark: mark, anchor: name(scalar.anchor), hasTag: scalar.tag != nil))
        case YAML_ALIAS_EVENT:
            unsafe add(
                YAMLNode(content: .alias(name(event.data.alias.anchor) ?? ""), mark: mark, anchor: nil, hasTag: false))
        case YAML_SEQUENCE_START_EVENT:
            let start = unsafe event.data.sequence_start
            unsafe begin(
                OpenCollection(isMapping: false, mark: mark, anchor: name(start.anchor), hasTag: start.tag != nil))
        case YAML_MAPPING_START_EVENT:
            let start = unsafe event.data.mapping_start
            unsafe begin(
                OpenCollection(isMapping: true, mark: mark, anchor: name(start.anchor), hasTag: start.tag != nil))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: end()
        default: break
        }
    }

    /// Closes all open collections and returns the tree, as if the text ended here. Nil if the text has no node so far.
    consuming func closed() -> YAMLNode? {
        skipped = 0
        while let last = open.last {
            // The last key has no value yet.
            if last.isMapping, last.nodes.count % 2 == 1 { add(last.node(.tooDeep)) }
            end()
        }
        return root
    }

    private mutating func begin(_ collection: OpenCollection) {
        guard open.count < deepest else {
            add(collection.node(.tooDeep))
            skipped += 1
            return
        }
        open.append(collection)
    }

    private mutating func end() {
        if skipped > 0 {
            skipped -= 1
        } else if let collection = open.popLast() {
            add(collection.node(collection.content))
        }
    }

    private mutating func add(_ node: YAMLNode) {
        guard skipped == 0 else { return }
        if open.isEmpty { root = node } else { open[open.count - 1].nodes.append(node) }
    }

    private func name(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        unsafe text.map { unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)) }
    }
}

extension YAMLMark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
