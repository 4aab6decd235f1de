/// Limits of a head from a peer, in bytes unless noted otherwise.
public struct HeadLimits: Hashable, Sendable {
    /// The whole head: first line, field lines and the blank line, line ends included.
    public var head: Int

    /// One field's name, and one field's value without the white space around it.
    public var field: Int

    /// Longest text after the scheme in an `Authorization` field; `field` does not apply to that one.
    public var authorization: Int

    /// The number of field lines.
    public var fields: Int

    /// The request target.
    public var target: Int

    /// The number of fields that `Connection` may nominate; looking for one of them costs as many comparisons.
    public var connectionOptions: Int

    /// Names of fields that carry tokens as `Authorization` does: `authorization` is their limit too, and `Connection`
    /// cannot nominate them.
    public var tokenFields: [FieldName]

    /// Names of further fields that the gateway reads or states as its file says: their values hold no bytes above
    /// 0x7F.
    public var readFields: [FieldName]

    /// The field in which a proxy states a request's target, bytes above 0x7F among it. Nil where none does.
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

    /// The limits with a head that the 32-bit offsets of its fields can reach.
    var reachable: HeadLimits {
        var limits = self
        limits.head = min(max(limits.head, 0), Int(Int32.max))
        return limits
    }

    /// The size of a field section of HTTP/2, fields as lines, behind which no more of it is looked at.
    var fieldSection: Int { 4 &* head }

    /// Bytes that a line may have besides the limited part: method and version, or name, colon, scheme and white space.
    ///
    /// An unfinished line is refused when it is longer than its limit and this, without waiting for its end.
    static let lineAllowance = 512
}
