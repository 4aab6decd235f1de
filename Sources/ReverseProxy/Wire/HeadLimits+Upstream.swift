import HTTPMessages

extension HeadLimits {
    /// For heads of upstreams, which may hold the long values and the many fields that clients' may not: a policy for
    /// content, a cookie for each application.
    var forUpstream: HeadLimits {
        var limits = HeadLimits(head: 128 * 1024, field: 32 * 1024, fields: 200)
        limits.head = max(limits.head, head)
        limits.fields = max(limits.fields, fields)
        limits.field = max(limits.field, field)
        return limits
    }

    /// Enough for a head that was within these, and for what we add to it.
    var enlarged: HeadLimits {
        var limits = self
        limits.head = 2 * max(head, 8 * 1024)
        limits.fields = fields + 64
        limits.target = limits.head
        limits.field = limits.head
        limits.authorization = limits.head
        return limits
    }
}
