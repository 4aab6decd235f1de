/// One value of a YAML document, as it is written: aliases and tags are not resolved, and keys may be repeated.
public struct YAMLNode: Sendable {
    public let content: Content
    /// Position of its first character, properties included.
    public let mark: YAMLMark
    /// Name that aliases refer to it by.
    public let anchor: String?
    public let hasTag: Bool

    public indirect enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([Member])
        case alias(String)
        /// A collection below the deepest level that was asked for; what is in it was skipped.
        case tooDeep
    }

    public struct Member: Sendable {
        public let key: YAMLNode
        public let value: YAMLNode
    }
}

/// A position in the text, in lines and characters, both from 1.
public struct YAMLMark: Hashable, Sendable {
    public let line: Int
    public let column: Int
}

/// The reason why a text is no YAML, in libyaml's words.
public struct YAMLError: Error, Hashable, Sendable {
    public let problem: String
    public let mark: YAMLMark
    /// The construct that was being read, and the place where it began. Nil if libyaml states none.
    public let context: Context?

    public struct Context: Hashable, Sendable {
        public let text: String
        public let mark: YAMLMark
    }
}
