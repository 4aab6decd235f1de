/// A node of the file with its place.
struct DocumentNode {
    let position: Position
    let content: Content
    /// Nodes of the tree, this one included.
    let count: Int
    /// Levels of the tree, this one included.
    let height: Int

    enum Content {
        case scalar(ScalarText)
        case sequence([DocumentNode])
        case mapping([Member])
        /// What is wrong with it was reported; whoever reads it says nothing more.
        case unusable
    }

    struct Member {
        let key: String
        let keyPosition: Position
        let value: DocumentNode
    }

    init(_ content: Content, at position: Position) {
        self.content = content
        self.position = position
        let children: [DocumentNode] =
            switch content {
            case .scalar, .unusable: []
            case .sequence(let elements): elements
            case .mapping(let members): members.map(\.value)
            }
        count = children.reduce(1) { $0 + $1.count }
        height = 1 + (children.map(\.height).max() ?? 0)
    }
}

extension DocumentNode {
    /// What it says, without layout and comments: the same bytes only for nodes that say the same. Every text is led by
    /// its length.
    var meaning: String {
        switch content {
        case .scalar(let scalar):
            "\(scalar.isPlain ? "p" : "q")\(scalar.isSubstituted ? "s" : "w")\(Self.measured(scalar.text))"
        case .sequence(let elements): "[\(elements.map(\.meaning).joined())]"
        case .mapping(let members): "{\(members.map { Self.measured($0.key) + $0.value.meaning }.joined())}"
        case .unusable: "?"
        }
    }

    private static func measured(_ text: String) -> String {
        "\(text.utf8.count):\(text)"
    }
}

/// A scalar's own characters, after references to the environment were replaced.
struct ScalarText {
    let text: String
    /// Whether it stood without quotes, so that YAML may see more than text in it.
    let isPlain: Bool
    /// Whether some of it came from the environment; then it is text, whatever it looks like.
    let isSubstituted: Bool

    /// Whether there is nothing at all: `key:` and the end of the line.
    var isAbsent: Bool { isPlain && !isSubstituted && text.isEmpty }
}
