/// Node of the file's tree, with its position.
struct DocumentNode {
    let position: Position
    let content: Content
    /// Number of nodes in the tree, this one included.
    let count: Int
    /// Number of levels in the tree, this one included.
    let height: Int

    enum Content {
        case scalar(ScalarText)
        case sequence([DocumentNode])
        case mapping([Member])
        /// Its problem was reported already, so readers report nothing more.
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
    /// Content without layout and comments. Two nodes have equal texts only if their content is equal, because every
    /// text is prefixed with its length.
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

/// Characters of a scalar, after references to environment variables were replaced.
struct ScalarText {
    let text: String
    /// True if it was written without quotes, so that YAML may read it as something other than text.
    let isPlain: Bool
    /// True if a part of it came from the environment. Then it is text, even if it looks like a number or boolean.
    let isSubstituted: Bool

    /// True if nothing is written at all: `key:` and the end of the line.
    var isAbsent: Bool { isPlain && !isSubstituted && text.isEmpty }

    /// True if YAML reads it as null (YAML 1.2 §10.3.2), although something is written.
    var isNull: Bool { isPlain && !isSubstituted && ["null", "Null", "NULL", "~"].contains(text) }
}
