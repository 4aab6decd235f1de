import RequestAuthorization

/// What the file of `--shadow` makes of a request. Nothing that is done with the request depends on it.
extension RequestExchange {
    /// Compares the request's verdict with that of the shadow, which neither waits nor asks.
    ///
    /// - Parameter reason: why the gateway answers itself; nil: the request is forwarded.
    func judgeShadow(_ reason: RejectionReason?) {
        guard let shadow = loop.shadow, shadow.generation == configuration.generation else { return }
        record.shadowVerdict = loop.compare(&request, reason, record, with: shadow.authorizer)
    }

    /// The same of a request that is on its way already; one that has ended meanwhile was answered for another cause.
    func judgeShadow(ofForwarded number: UInt64) {
        guard loop.shadow != nil, number == record.number, state.isBusy else { return }
        judgeShadow(nil)
    }
}
