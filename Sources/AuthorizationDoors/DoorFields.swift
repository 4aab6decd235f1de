import HTTPMessages

/// Field names by which a forward auth proxy states method, target, host and scheme of the request that it asks about.
///
/// A class, so that questions share the names instead of copying them.
public final class DoorFields: Sendable {
    public let method: FieldName
    public let target: FieldName
    public let host: FieldName
    public let scheme: FieldName
    /// All four names, in the order in which messages list them.
    public let all: [FieldName]

    public static let original = DoorFields(
        method: FieldName(fixed: "X-Original-Method"), target: FieldName(fixed: "X-Original-URI"),
        host: FieldName(fixed: "X-Original-Host"), scheme: FieldName(fixed: "X-Original-Proto"))

    public static let forwarded = DoorFields(
        method: FieldName(fixed: "X-Forwarded-Method"), target: FieldName(fixed: "X-Forwarded-Uri"),
        host: FieldName(.xForwardedHost), scheme: FieldName(.xForwardedProto))

    private init(method: FieldName, target: FieldName, host: FieldName, scheme: FieldName) {
        self.method = method
        self.target = target
        self.host = host
        self.scheme = scheme
        all = [method, target, host, scheme]
    }
}
