import AccessControl
import AuthorizationDoors
import ConfigurationFile
import GatewayAssembly
import HTTPMessages
import JOSE
import KeySetFetching
import KeySets
import Logging
import Logs
import ProxySettings
import RequestAuthorization
import TokenIntrospection
import TokenVerification

/// Judges one request with a configuration, and fetches the key sets that it needs.
actor Explainer {
    /// Further problems, to print on standard error.
    private(set) var notes: [String] = []

    let configuration: Configuration
    /// Logger for messages to a person. It has only warnings and errors.
    private let logger: Logger
    let authorizer: RequestAuthorizer
    private let offline: Bool
    let now: NumericDate

    init(_ configuration: Configuration, offline: Bool, now: NumericDate) throws {
        self.configuration = configuration
        logger = StandardStreams.commandLog.logger
        self.offline = offline
        self.now = now
        let issuers = configuration.issuers.mapped { issuer in
            let stores = issuer.keySets.mapped {
                KeySetStore(
                    KeySetSnapshot(
                        keys: $0.source.hasSingleKeys ? KeySet(keys: []) : nil, staleLimit: $0.staleLimit,
                        canWait: true,
                        lastFetchSucceeded: $0.source.hasSingleKeys, soleKeyID: $0.source.soleKeyID,
                        hasSingleKeys: $0.source.hasSingleKeys))
            }
            return IssuerKeyStores(
                issuer: issuer.trusted, stores: stores, realms: issuer.realms.map { _ in RealmStores() },
                introspection: issuer.introspection.map { _ in IntrospectionStore() })
        }
        authorizer = try RequestAuthorizer(
            resources: configuration.protectedResources, issuers: issuers, digestKey: TokenDigestKey(),
            denials: DenyList(of: configuration, at: now))
    }

    /// Judges a request, and explains each step.
    ///
    /// - Parameter door: protocol of forward auth (a door), if the stated request is a proxy's question about another
    ///   request. Nil if the stated request is to be judged itself.
    func explain(_ request: ExplainedRequest, at door: DoorKind? = nil) async -> Explanation {
        var head: RequestHead
        let limits = configuration.limits.head
        do {
            head = try request.head(door.map { limits.ofQuestion(at: $0) } ?? limits, for: authorizer)
        } catch {
            let limits = door.map { limits.ofQuestion(at: $0) } ?? limits
            return Explanation(refused: .message(error.fault), because: Self.told(request.fault(limits), error.rule))
        }
        if let door {
            var reader = DoorRequestReader(limits: limits)
            do throws(Rejection) {
                try reader.read(&head, at: door)
            } catch {
                return Explanation(
                    refused: error.reason, because: Self.cause(error.reason, reader.fault, head, at: door))
            }
        }
        var request = AuthorizationRequest(head: head)
        request.isAtDoor = door != nil
        if case .wait(.token(let wait), _) = authorizer.authorize(&request, at: now) {
            request.answer = await answer(wait)
        }
        var explanation = authorizer.explain(&request, at: now)
        // At a door the proxy itself forwards the request.
        if door == nil, let upstream = explanation.upstream, let group = configuration.upstreams[upstream] {
            explanation.upstreamPath = String(decoding: group.basePath, as: UTF8.self)
        }
        return explanation
    }

    /// Reason why the fields received at a door do not state a request.
    private static func cause(_ reason: RejectionReason, _ fault: HeadFault?, _ head: RequestHead, at door: DoorKind)
        -> String
    {
        guard reason == .door(.requestInvalid) else { return told(fault, reason.text.cause) }
        return "the fields of this door state no request: \(DoorRequestReader.detail(of: head, at: door))"
    }

    /// Description of a fault in a request head, with a hint if there is one.
    private static func told(_ fault: HeadFault?, _ cause: String) -> String {
        let hint = fault?.hint.map { ". " + $0 } ?? ""
        return "the request head is refused: " + (fault?.description ?? cause) + hint
    }

    private func answer(_ wait: TokenWait) async -> TokenAnswer {
        switch wait {
        case .keys(let wait): .keys(await answer(wait))
        case .introspection(let wait): .introspection(await answer(wait))
        }
    }

    /// Asks the issuer about an opaque token, as `serve` would. Not with `--offline`.
    private func answer(_ wait: IntrospectionWait) async -> IntrospectionAnswer {
        guard let issuer = configuration.issuers[wait.issuer] else { return .unavailable(retryAfter: .seconds(1)) }
        guard !offline, let introspection = issuer.introspectionConfiguration else {
            notes.append("no introspection request was sent to \(issuer.trusted.name): --offline")
            return .unavailable(retryAfter: .seconds(1))
        }
        let introspector = TokenIntrospector(introspection, logger: logger)
        await introspector.start()
        let answer = await introspector.answer(for: wait.token, digest: wait.digest)
        if let failure = await introspector.status.lastFailure {
            notes.append("\(issuer.trusted.name) could not be asked about the token: \(failure)")
        }
        await introspector.stop()
        return answer
    }

    /// Loads the issuer's keys as `serve` would: a file is read, a saved key set is used if it has the key, and any
    /// other key set is fetched once.
    func answer(_ wait: KeyWait) async -> KeyAnswer {
        guard let issuer = configuration.issuers[wait.issuer] else { return .unavailable(retryAfter: .seconds(1)) }
        let keySet: KeySetIndex
        switch wait.place {
        case .keySet(let index): keySet = index
        case .realm(let realm): return await load(realm, of: wait.issuer, for: wait.keyID)
        }
        if case .policy = issuer.trusted.keyBinding {
            // `serve` has the key sets of all user flows, and distinguishes a key of the wrong flow from an unknown
            // key.
            for (other, _) in issuer.keySets.indexed where other != keySet {
                _ = await load(other, of: wait.issuer, for: nil)
            }
        }
        if issuer.trusted.mergesKeySets {
            var answer = await load(keySet, of: wait.issuer, for: wait.keyID)
            for (other, _) in issuer.keySets.indexed where other != keySet {
                answer = answer.merged(with: await load(other, of: wait.issuer, for: wait.keyID))
            }
            return answer
        }
        return await load(keySet, of: wait.issuer, for: wait.keyID)
    }

    private func load(_ keySet: KeySetIndex, of issuer: IssuerIndex, for keyID: String?) async -> KeyAnswer {
        guard let configured = configuration.issuers[issuer], let source = configured.keySets[keySet] else {
            return .unavailable(retryAfter: .seconds(1))
        }
        return await load(source, of: configured.trusted.name, for: keyID) {
            authorizer.issuers[issuer]?.stores[keySet]?.publish($0)
        }
    }

    /// Loads the keys of a realm, which the request's token names.
    private func load(_ realm: String, of issuer: IssuerIndex, for keyID: String?) async -> KeyAnswer {
        guard let configured = configuration.issuers[issuer], let source = configured.realms?.keySet(of: realm) else {
            return .unavailable(retryAfter: .seconds(1))
        }
        return await load(source, of: "the realm \(realm) of \(configured.trusted.name)", for: keyID) {
            authorizer.issuers[issuer]?.realms?.add(realm, KeySetStore($0))
        }
    }

    /// - Parameters:
    ///   - name: name of the issuer or realm for messages.
    ///   - publish: makes the keys known to the authorizer.
    private func load(
        _ source: KeySetConfiguration, of name: String, for keyID: String?, publish: (KeySetSnapshot) -> Void
    ) async -> KeyAnswer {
        func asOfNow(_ snapshot: KeySetSnapshot) -> KeySetSnapshot {
            var snapshot = snapshot
            // As if the keys had been fetched at the time as of which the request is judged.
            snapshot.fetchedAt = now
            return snapshot
        }
        let directory = configuration.stateDirectory.map { KeySetDirectory(path: $0) }
        if let saved = await OneTimeKeySet.saved(source, directory: directory, logger: logger) {
            publish(asOfNow(saved))
            // A key that is missing in the saved set may have been published since. `serve` fetches before it rejects.
            if keyID.map({ saved.keys?.contains(keyID: $0) ?? false }) ?? true { return .keysChanged }
        }
        if offline, source.source.filePath == nil {
            notes.append("the keys of \(name) were not fetched: --offline")
            return .unavailable(retryAfter: .seconds(1))
        }
        do throws(KeySetFetchFailure) {
            if source.source.hasSingleKeys {
                guard let key = try await key(keyID, of: source) else { return .confirmedUnknown }
                publish(asOfNow(key))
                return .keysChanged
            }
            publish(asOfNow(try await OneTimeKeySet.load(source, directory: nil, logger: logger)))
            return .keysChanged
        } catch {
            notes.append("the keys of \(name) could not be loaded: \(error)")
            return .unavailable(retryAfter: .seconds(1))
        }
    }

    /// The one key that the token names, from a source whose keys are fetched one by one. Nil if there is none.
    private func key(_ keyID: String?, of source: KeySetConfiguration) async throws(KeySetFetchFailure)
        -> KeySetSnapshot?
    {
        guard let keyID, let key = try await OneTimeKeySet.key(keyID, source) else { return nil }
        return KeySetSnapshot(
            keys: KeySet(keys: [key]), staleLimit: source.staleLimit, lastFetchSucceeded: true, hasSingleKeys: true,
            generation: 1)
    }
}
