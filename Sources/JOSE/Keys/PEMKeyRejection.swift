/// Reason why a text in PEM is not used as a public key.
public enum PEMKeyRejection: Error, Hashable, Sendable {
    /// The text has more bytes than ``PEMBlock/byteLimit``.
    case tooLarge
    /// The text has a private key, wherever it is in the text. Nothing of it is repeated.
    case privateKey
    /// The text has no block in PEM.
    case noBlock
    /// The text is JSON, such as a JWK set.
    case json
    /// The text is the binary form of a key or certificate (X.690).
    case der
    /// The block is written in one line.
    case noLineBreaks
    /// The text has several blocks, with these labels.
    case severalBlocks([String])
    /// The block has a label that is not read here.
    case labelUnknown(String)
    /// The block with this label has no end, or the end of another label.
    case notClosed(String)
    /// The text continues after the block with this label.
    case textAfterBlock(String)
    /// The block has headers, as encrypted blocks do (RFC 1421 §4.6).
    case encrypted
    /// The content of the block with this label is not base64.
    case notBase64(String)
    /// The block with this label does not contain what its label says, or more than that.
    case undecodable(String)
    /// The key is of this type, which verifies no signatures here.
    case keyTypeUnsupported(String)
    /// The key is on this curve, which is not supported.
    case curveUnsupported(String)
    /// The key would not be used in a key set either.
    case key(JSONWebKeyRejection)
}

extension PEMKeyRejection: CustomStringConvertible {
    /// Description for operators, to follow the document's name.
    public var description: String {
        switch self {
        case .tooLarge: "is larger than \(PEMBlock.byteLimit / 1024) KiB"
        case .privateKey: "has a private key, which Bearward must never have; remove it and keep the public key"
        case .noBlock: "has no block in PEM, which begins with `-----BEGIN PUBLIC KEY-----`"
        case .json: "is JSON, not PEM; name a JWK set with `jwks_file`"
        case .der: "is a key or certificate in DER, not PEM"
        case .noLineBreaks: "has a block in PEM without line breaks: its first line must end after `-----BEGIN …-----`"
        case .severalBlocks(let labels):
            "has \(labels.count) blocks in PEM (\(Self.listed(labels))); write each key to a file of its own"
        case .labelUnknown(let label):
            "has a block \(Self.quoted(label)); a `PUBLIC KEY`, `RSA PUBLIC KEY` or `CERTIFICATE` is expected"
        case .notClosed(let label): "has a block `\(label)` without its line `-----END \(label)-----`"
        case .textAfterBlock(let label): "has text after the end of its block `\(label)`"
        case .encrypted: "has a block with headers, as encrypted ones have; write the public key without encryption"
        case .notBase64(let label): "has a block `\(label)` that is not base64"
        case .undecodable(let label): "has a block `\(label)` that cannot be decoded as one"
        case .keyTypeUnsupported(let type):
            "has a key of the type \(Self.quoted(type)), which is not supported for signatures"
        case .curveUnsupported(let curve): "has a key on the curve \(Self.quoted(curve)), which is not supported"
        case .key(let reason): "has a key that cannot be used: \(reason)"
        }
    }

    private static func listed(_ labels: [String], most: Int = 4) -> String {
        let shown = labels.prefix(most).map(quoted).joined(separator: ", ")
        return labels.count > most ? "\(shown), …" : shown
    }

    private static func quoted(_ text: String) -> String { "`\(text.printable(upTo: 40))`" }
}
