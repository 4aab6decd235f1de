/// Reason why a request path, or a path in the configuration, has no canonical form.
public enum PathRejection: Error, Hashable, Sendable, CaseIterable {
    /// The path does not begin with "/".
    case notAbsolute
    /// The path is longer than `RequestPath.longestPath`.
    case tooLong
    /// A byte 0x00–0x1F or 0x7F, raw or percent-encoded.
    case controlByte
    /// A space, `#` or `?`; in a file also what may mean a pattern: `"`, `<`, `>`, `^`, a grave accent, `{`, `|`, `}`.
    case forbiddenCharacter
    /// A `\`: some readers take it for "/".
    case backslash
    /// A `%` that two hexadecimal digits do not follow.
    case invalidEscape
    /// `%2F` where encoded slashes are refused: some readers take it for "/".
    case encodedSlash
    /// `%5C`: some readers take it for "/".
    case encodedBackslash
    /// `%25` before two hexadecimal digits, unless encoded slashes are opaque: a second decoding would change the path.
    case doubleEncoding
    /// A segment that is "." or "..", plain, percent-encoded or before path parameters.
    case dotSegment
    /// Two slashes in a row, or with nothing but path parameters between them.
    case emptySegment
    /// The bytes of a segment, escaped or not, are no well-formed UTF-8.
    case notUTF8
}
