import HTTPMessages

/// One family of fields by which a proxy states the request that it asks about.
public struct DoorFields: Sendable, Hashable {
    public let method: FieldName
    public let target: FieldName
    public let host: FieldName
    public let scheme: FieldName

    public static let original = DoorFields(
        method: FieldName(fixed: "X-Original-Method"), target: FieldName(fixed: "X-Original-URI"),
        host: FieldName(fixed: "X-Original-Host"), scheme: FieldName(fixed: "X-Original-Proto"))

    public static let forwarded = DoorFields(
        method: FieldName(fixed: "X-Forwarded-Method"), target: FieldName(fixed: "X-Forwarded-Uri"),
        host: FieldName(.xForwardedHost), scheme: FieldName(.xForwardedProto))

    /// In the order in which they are looked for.
    public var all: [FieldName] { [method, target, host, scheme] }
}
