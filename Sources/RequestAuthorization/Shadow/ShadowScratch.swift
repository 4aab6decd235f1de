import AccessControl
import KnownTokens

/// Storage that a shadow configuration uses while it judges a request, so that the running verdict is not changed. It
/// is reused for the next request.
public struct ShadowScratch: Sendable {
    private var path = RequestPath()
    private var record = TokenRecordBytes()
    private var identityFields: [UInt8] = []
    private var answer: TokenAnswer?
    private var quotaAnswer: QuotaAnswer?
    private var counting: RequestCounting?
    private var rateLimit: RateLimitFields?

    public init() {}

    /// Swaps this storage with that of the request. A second call restores both.
    ///
    /// - Parameter sharesPath: true if the path in force is also valid for the shadow, so that it stays.
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
