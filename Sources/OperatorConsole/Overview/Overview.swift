import TokenVerification

/// State of a running gateway without persons: content of `/api/overview` and of the page.
public struct Overview: Sendable, Hashable {
    public let time: NumericDate
    public let process: ProcessState
    public let file: FileState
    /// State of the file of `--shadow`. Nil without that option.
    public let shadow: ShadowState?
    public let traffic: TrafficHistory
    public let issuers: [IssuerState]
    public let upstreams: [UpstreamStatus]
    public let rules: RuleTable
    /// Refused requests by reason, the largest number first.
    public let refusals: [ReasonCount]
    public let soon: ComingEvents

    public init(
        time: NumericDate, process: ProcessState, file: FileState, shadow: ShadowState?, traffic: TrafficHistory,
        issuers: [IssuerState], upstreams: [UpstreamStatus], rules: RuleTable, refusals: [ReasonCount],
        soon: ComingEvents
    ) {
        (self.time, self.process, self.file, self.shadow) = (time, process, file, shadow)
        (self.traffic, self.issuers, self.upstreams, self.rules) = (traffic, issuers, upstreams, rules)
        (self.refusals, self.soon) = (refusals, soon)
    }
}
