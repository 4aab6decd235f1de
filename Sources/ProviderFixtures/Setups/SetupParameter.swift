/// One parameter of an issuer's profile, with its value.
public struct SetupParameter: Sendable, Hashable {
    public let name: String
    public let value: SetupValue

    public init(_ name: String, _ value: SetupValue) {
        self.name = name
        self.value = value
    }
}

/// The value of a parameter.
public enum SetupValue: Sendable, Hashable {
    case text(String)
    case list([String])
    case boolean(Bool)
    case duration(seconds: Int)
    /// Pairs of a name and a text, in order.
    case mapping([SetupPair])
}

/// One pair of a mapping: a name and a text.
public struct SetupPair: Sendable, Hashable {
    public let name: String
    public let text: String

    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
