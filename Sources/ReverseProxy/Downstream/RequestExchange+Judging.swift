import AuthorizationDoors
import HTTPMessages
import KeySets
import KnownTokens
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import Synchronization
import TokenVerification

/// A request's beginning: its head, and the verdict on it.
extension RequestExchange {
    /// The first byte of a head is here.
    func headBegan() {
        state.headBegan()
        record = loop.makeRecord()
        record.door = hop.door?.kind
        relay = RelayProgress()
        request.answer = nil
        request.quotaAnswer = nil
        request.rateLimit = nil
        request.isAtDoor = false
        arm(configuration.deadlines.head)
        loop.gateway.requests.wrappingAdd(1, ordering: .relaxed)
        record.requestID = .made(loop.requestIDs.next(), loop.requestIDs.next())
    }

    /// What was received is no head.
    ///
    /// - Parameter fault: what is wrong with it, for the log.
    func headRejected(_ reason: MessageFault, _ fault: HeadFault?) {
        record.headFault = fault
        reject(Rejection(.message(reason)))
    }

    /// The head in `request` is complete.
    ///
    /// - Parameter isWhole: whether its first byte came with its last.
    func headReceived(isWhole: Bool) {
        deadline = .max
        record.hasHead = true
        // A head may arrive slowly; its verdict is by the present time, and by the configuration that runs now.
        record.configuration = loop.configuration
        // Most methods have another length, and to ask more than that copies the head.
        relay.isHEAD = request.head.method.count == 4 && request.head.isHEAD
        relay.peerIsTrusted = configuration.trusts(hop.address.peerAddress)
        if relay.peerIsTrusted, hop.door == nil {
            record.requestID = RequestID(head: request.head, peerIsTrusted: true, using: &loop.requestIDs)
        }
        if request.head.version == .http2, request.head.isGRPC, !asksByConnect {
            relay.streaming = StreamingExchange(.grpc, deadline: grpcDeadline)
        }
        takeCertificate()
        let framing = request.head.framing
        let action = state.headReceived(hasBody: framing != .none && framing != .length(0))
        if let redirect = hop.redirect { return send(to: redirect) }
        if let door = hop.door {
            if door.kind.asksByMessage { return awaitQuestion(at: door) }
            guard read(at: door) else { return }
        }
        // The clock was read when it began.
        if isWhole, action == .judge { judge(at: record.startedAt) } else { perform(action) }
    }

    /// When the client of gRPC no longer wants an answer; nil: it does not say.
    private var grpcDeadline: Int64? {
        guard let timeout = request.head.grpcTimeout else { return nil }
        let (sum, overflow) = record.startedAt.addingReportingOverflow(timeout)
        return overflow ? nil : sum
    }

    /// Refuses a request because memory is short.
    func refuseForMemory() {
        loop.gateway.met(.memory)
        // Its buffers are part of the excess memory.
        reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1)), endsConnection: true)
    }

    func judge(at now: Int64) {
        guard !loop.gateway.memory.isShort else { return refuseForMemory() }
        request.maySpendVerification = !isExhausted(at: now)
        request.counting = configuration.authorizer.countsRequests ? counting(at: now) : nil
        switch configuration.authorizer.authorize(&request, at: loop.clock.date(at: now)) {
        case .forward(let forwarding, let facts):
            if let would = facts.would {
                if isOneUnaskedTooMany(facts, at: now) { return judgeAsUnknown(at: now) }
                noteFailure(would, facts, at: now)
            }
            let (number, wasKnown) = (record.number, facts.cache == .hit)
            record.facts = facts
            if let door = hop.door {
                judgeShadow(nil)
                return permit(forwarding, at: door)
            }
            // A known token is judged so fast that the clock need not be read again.
            forward(forwarding, at: wasKnown ? now : EventLoopClock.now())
            judgeShadow(ofForwarded: number)
        case .reject(let rejection, let facts):
            if isOneUnaskedTooMany(facts, at: now) { return judgeAsUnknown(at: now) }
            record.facts = facts
            noteFailure(rejection.reason, facts, at: now)
            if facts.stage == .quotas, rejection.reason == .gateway(.overloaded) { loop.gateway.met(.quotaKeys) }
            judgeShadow(rejection.reason)
            reject(rejection)
        case .publish(let document, let facts):
            record.facts = facts
            guard !asksByConnect else { return reject(Rejection(.message(.methodNotAllowed))) }
            judgeShadow(nil)
            answer(.document(document), endsConnection: false)
        case .preflight(let preflight, let facts):
            record.facts = facts
            record.reason = .preflight(preflight.verdict)
            judgeShadow(.preflight(preflight.verdict))
            answer(.preflight(preflight), endsConnection: false)
        case .wait(.quotas(let wait), let facts):
            record.facts = facts
            awaitQuotas(wait)
        case .wait(let wait, let facts):
            record.facts = facts
            awaitAnswer(wait)
        }
    }

    // MARK: Verifications that fail

    /// Whether the client has had as many failed verifications as it may.
    private func isExhausted(at now: Int64) -> Bool {
        guard let limit = configuration.limits.failedVerificationsPerAddress,
            loop.gateway.failedVerifications.isAnyExhausted(at: now),
            let client = client.address
        else { return false }
        return loop.gateway.failedVerifications.isExhausted(client, limit: limit, at: now)
    }

    /// Counts a token that was verified in vain, once for each signature that was checked: its signature is bad, or its
    /// issuer calls it inactive, or it is refused although the one is good or the other calls it active, or it is long
    /// and was read for nothing. It counts also where the refusal is only observed: the work is the same.
    private func noteFailure(_ reason: RejectionReason, _ facts: AuthorizationFacts, at now: Int64) {
        guard let limit = configuration.limits.failedVerificationsPerAddress else { return }
        if reason == .gateway(.rateLimited) { noteRateLimit(limit) }
        guard facts.spentVerifications > 0, reason.bearerError == .invalidToken else { return }
        guard let client = client.address else { return noteMissingAddress() }
        loop.gateway.failedVerifications.add(client, facts.spentVerifications, limit: limit, at: now)
    }

    private func noteRateLimit(_ limit: Int) {
        loop.gateway.met(.failedVerificationsPerAddress)
        guard !relay.peerIsTrusted, hop.door == nil, request.head.contains(.xForwardedFor) else { return }
        loop.gateway.noteUntrustedProxy(hop.address.peer, limit: limit, generation: configuration.generation)
    }

    // MARK: Key IDs that nobody may ask about

    /// Whether the token names a key that its issuer cannot be asked about now, and the client has had all of its
    /// answers that are 503.
    ///
    /// Any other is noted for the next fetch.
    private func isOneUnaskedTooMany(_ facts: AuthorizationFacts, at now: Int64) -> Bool {
        guard let keyID = facts.keyID, facts.undecidedKey?.isOfKeyID == true else { return false }
        let client = client.address
        guard loop.gateway.unaskedKeyIDs.admit(keyID, of: client, at: now) else {
            loop.gateway.met(.unaskedKeyIDsPerAddress)
            if client == nil { noteMissingAddress() }
            return true
        }
        configuration.authorizer.noteUnasked(facts)
        return false
    }

    /// Judges the request as if its issuer had been asked, and did not know its key.
    private func judgeAsUnknown(at now: Int64) {
        request.answer = .keys(.confirmedUnknown)
        judge(at: now)
    }

    // MARK: Waiting for keys or introspection

    private func awaitAnswer(_ wait: AuthorizationWait) {
        let configuration = configuration
        let gateway = loop.gateway
        guard request.answer == nil else { return reject(Rejection(wait.unavailableReason, retryAfter: .seconds(1))) }
        // The file decides whose keys are waited for; a client chooses an opaque token about which its issuer answers
        // slowly.
        let client = wait.isForIntrospection ? self.client.address?.client : nil
        guard enterWait(client, limit: configuration.limits.waitingForKeys) else {
            gateway.met(.waitingForKeys)
            // Judged as if the wait had ended in vain: the rule may only be observed.
            request.answer = wait.crowdedOut
            return judge(at: EventLoopClock.now())
        }
        state.waitBegan()
        let wait = client.map { wait.of(clientAt: $0.high, $0.low) } ?? wait
        let number = record.number
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        pendingAnswer = Task {
            let answer = await configuration.answerWait(wait)
            GatewayState.leave(gateway.requestsWaitingForKeys)
            if let client { gateway.introspections.leave(client) }
            bound.eventLoop.execute { bound.value.answered(answer, to: number) }
        }
    }

    /// Takes a waiting slot; no client has more than half of them, rounded up, for its opaque tokens.
    private func enterWait(_ client: IPAddress?, limit: Int) -> Bool {
        if let client, !loop.gateway.introspections.enter(client, limit: limit - limit / 2) { return false }
        if GatewayState.enter(loop.gateway.requestsWaitingForKeys, limit: limit) { return true }
        if let client { loop.gateway.introspections.leave(client) }
        return false
    }

    // MARK: Quotas

    private func counting(at now: Int64) -> RequestCounting {
        // Most requests name no other address, and their heads are not copied for that.
        let isForwarded = request.head.contains(.xForwardedFor) || hop.door != nil
        let address = isForwarded ? client.address : hop.address.peerAddress
        let network = address?.client
        var counting = RequestCounting(high: network?.high ?? 0, low: network?.low ?? 0, now: now)
        counting.hasAddress = network != nil || hop.door == nil
        if !counting.hasAddress { noteMissingAddress() }
        return counting
    }

    /// Asks the store that counts for several processes; its queue is bounded, and so is the wait for it.
    private func awaitQuotas(_ wait: QuotaWait) {
        guard request.quotaAnswer == nil, let ask = configuration.askSharedQuotas else {
            return reject(Rejection(.gateway(.quotaUnavailable), retryAfter: .seconds(1)))
        }
        state.waitBegan()
        let number = record.number
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        ask(wait) { answer in bound.eventLoop.execute { bound.value.quotasAnswered(answer, to: number) } }
    }

    private func quotasAnswered(_ answer: QuotaAnswer, to number: UInt64) {
        guard number == record.number else { return }
        let action = state.answerReceived()
        guard action != .none else { return }
        request.quotaAnswer = answer
        perform(action)
        carrier?.process()
    }

    private func answered(_ answer: AuthorizationAnswer, to number: UInt64) {
        guard number == record.number else { return }
        let action = state.answerReceived()
        guard action != .none else { return }
        pendingAnswer = nil
        request.answer = answer
        perform(action)
        carrier?.process()
    }
}
