/// A value in a YAML document as it is written. Aliases and tags are not resolved, and keys may be repeated.
public struct YAMLNode: Sendable {
    public let content: Content
    /// Position of its first character, including its anchor or tag.
    public let mark: YAMLMark
    /// The name of the node's anchor, by which aliases refer to it. Nil if it has none.
    public let anchor: String?
    public let hasTag: Bool

    public indirect enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([Member])
        case alias(String)
        /// A collection deeper than the requested level. Its content was skipped.
        case tooDeep
    }

    public struct Member: Sendable {
        public let key: YAMLNode
        public let value: YAMLNode
    }
}

/// A position in the text, as line and column. Both count from 1.
public struct YAMLMark: Hashable, Sendable {
    public let line: Int
    public let column: Int
}

/// Reason why a text is not YAML, in libyaml's words.
public struct YAMLError: Error, Hashable, Sendable {
    public let problem: String
    public let mark: YAMLMark
    /// The construct that was being read, and the position of its beginning. Nil if libyaml states none.
    public let context: Context?

    public struct Context: Hashable, Sendable {
        public let text: String
        public let mark: YAMLMark
    }
}
