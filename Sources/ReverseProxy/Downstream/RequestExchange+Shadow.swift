import RequestAuthorization

/// What the file of `--shadow` makes of a request. Nothing that is done with the request depends on it.
extension RequestExchange {
    /// Compares the request's verdict with that of the shadow, which neither waits nor asks.
    ///
    /// - Parameter reason: why the gateway answers itself; nil: the request is forwarded.
    func judgeShadow(_ reason: RejectionReason?) {
        guard let shadow = loop.shadow, shadow.generation == configuration.generation else { return }
        if shadow.authorizer.agrees(on: record.facts?.resource, record.facts?.rule, request) { return loop.shadowAgreed() }
        guard let stage = record.facts?.stage, let time = record.facts?.time else { return }
        let comparison = loop.compare(&request, reason, at: stage, time, with: shadow.authorizer)
        switch comparison {
        case .same: break
        case .different(let verdict): record.shadowVerdict = verdict
        case .unknown: record.shadowVerdict = .unknown
        }
        loop.shadowDiffered(comparison, record, from: reason)
    }

    /// The same of a request that is on its way already; one that has ended meanwhile was answered for another cause.
    func judgeShadow(ofForwarded number: UInt64) {
        guard loop.shadow != nil, number == record.number, state.isBusy else { return }
        judgeShadow(nil)
    }
}
