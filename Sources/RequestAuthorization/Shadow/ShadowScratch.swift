import AccessControl
import KnownTokens

/// What a shadow keeps of its own while it judges a request, so that nothing of the verdict in force is touched; used
/// again for the next.
public struct ShadowScratch: Sendable {
    private var path = RequestPath()
    private var record = TokenRecordBytes()
    private var identityFields: [UInt8] = []
    private var answer: AuthorizationAnswer?
    private var quotaAnswer: QuotaAnswer?
    private var counting: RequestCounting?
    private var rateLimit: RateLimitFields?

    public init() {}

    /// Puts what is kept here into the request, and keeps what was there; twice, and nothing has changed.
    ///
    /// - Parameter sharesPath: whether the path in force is the shadow's too.
    mutating func exchange(with request: inout AuthorizationRequest, sharesPath: Bool) {
        if !sharesPath { swap(&path, &request.path) }
        swap(&record, &request.record)
        swap(&identityFields, &request.identityFields)
        // Most requests have none of them, and they are large.
        if answer != nil || request.answer != nil { swap(&answer, &request.answer) }
        if quotaAnswer != nil || request.quotaAnswer != nil { swap(&quotaAnswer, &request.quotaAnswer) }
        if counting != nil || request.counting != nil { swap(&counting, &request.counting) }
        if rateLimit != nil || request.rateLimit != nil { swap(&rateLimit, &request.rateLimit) }
    }
}
