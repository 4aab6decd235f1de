/// Limits of a received head, in bytes unless stated otherwise.
public struct HeadLimits: Hashable, Sendable {
    /// Limit of the size of a whole head: first line, field lines and blank line, including line ends.
    public var head: Int

    /// Limit of the size of a field's name, and of a field's value without white space around it.
    public var field: Int

    /// Limit of the size of the credentials after the scheme of an `Authorization` field. `field` does not apply to it.
    public var authorization: Int

    /// Limit of the number of field lines.
    public var fields: Int

    /// Limit of the size of a request target.
    public var target: Int

    /// Limit of the number of fields that `Connection` may nominate. Each field of the head is compared with every
    /// nominated name.
    public var connectionOptions: Int

    /// Names of the fields that carry tokens like `Authorization`. They share its limit, and `Connection` cannot
    /// nominate them.
    public var tokenFields: [FieldName]

    /// Names of further fields that the configuration makes the gateway read or write. Their values must not have bytes
    /// above 0x7F.
    public var readFields: [FieldName]

    /// The field in which a proxy states a request's target, which may include bytes above 0x7F. Nil if no proxy does.
    public var targetField: FieldName?

    public init(
        head: Int = 32 * 1024,
        field: Int = 8 * 1024,
        authorization: Int = 16 * 1024,
        fields: Int = 100,
        target: Int = 8 * 1024,
        connectionOptions: Int = 32,
        tokenFields: [FieldName] = [],
        readFields: [FieldName] = [],
        targetField: FieldName? = nil
    ) {
        self.head = head
        self.field = field
        self.authorization = authorization
        self.fields = fields
        self.target = target
        self.connectionOptions = connectionOptions
        self.tokenFields = tokenFields
        self.readFields = readFields
        self.targetField = targetField
    }

    /// The same limits, with the size of the head reduced to what 32-bit offsets can address.
    var reachable: HeadLimits {
        var limits = self
        limits.head = min(max(limits.head, 0), Int(Int32.max))
        return limits
    }

    /// Limit of the size of an HTTP/2 field section, counted as HTTP/1.1 lines. The rest of a longer one is not read.
    var fieldSection: Int { 4 &* head }

    /// Allowance for the parts of a line that have no limit of their own: method and version, or name, colon, scheme
    /// and white space.
    ///
    /// An unfinished line is refused as soon as it is longer than its limit plus this allowance, without waiting for
    /// its end.
    static let lineAllowance = 512
}
