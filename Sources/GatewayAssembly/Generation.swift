import AccessControl
import ConfigurationFile
import Denials
import JOSE
import KeySetFetching
import KnownTokens
import ProxySettings
import Quotas
import RequestAuthorization
import ReverseProxy
import Telemetry
import TokenVerification
import TransportSecurity

/// A configuration with all parts that judge and forward its requests. It is in force, or a shadow that is compared
/// with the one in force.
///
/// A shadow counts no requests and sends no introspection requests: it has no quotas and no upstreams. It fetches only
/// key sets that the file in force does not name. Its cache has a quarter of the size in its file.
struct Generation: Sendable {
    /// Number of the generation, which counts reloads from 1. A shadow has the number of the generation that it is
    /// compared with.
    let number: Int
    let configuration: Configuration
    let contacts: IssuerContacts
    /// Cache of verified tokens. Nil if the configuration disables it.
    let cache: VerifiedTokenCache?
    /// Counting for quotas. Nil for a shadow.
    let quotas: QuotaCounting?
    /// Certificates of listeners and upstreams as first read. Empty once `CertificateWatch` has them, which replaces
    /// them from then on.
    var parties: [LoadedParty]
    let denials: AskedDenials
    private let digestKey: TokenDigestKey

    /// Longest wait of a reload for the keys of a new issuer.
    private static let reloadLimit: Duration = .seconds(5)
    /// Divisor for a shadow's cache, since the cache of the file in force exists beside it.
    private static let shadowShare = 4

    /// Prepares a generation and puts it in force, completely or not at all. If that fails, everything prepared is
    /// released and nothing has changed.
    ///
    /// - Parameters:
    ///   - predecessor: generation that is replaced. Parts that both files configure alike are kept. Nil for the first.
    ///   - inForce: generation that a shadow is compared with. Nil if the new generation is to be in force itself.
    ///   - commit: puts the new generation in force.
    static func prepare<Result>(
        _ configuration: Configuration, after predecessor: Generation?, beside inForce: Generation? = nil,
        in process: ProcessParts, isolation: isolated (any Actor)? = #isolation,
        commit: (Generation) async throws(StartFailure) -> Result
    ) async throws(StartFailure) -> Result {
        let next = try await Generation(configuration, after: predecessor, beside: inForce, in: process)
        do {
            return try await commit(next)
        } catch {
            await next.release(keptBy: predecessor)
            throw error
        }
    }

    /// Makes all parts of a generation. If it throws, nothing has to be released.
    private init(
        _ configuration: Configuration, after predecessor: Generation?, beside inForce: Generation?,
        in process: ProcessParts
    ) async throws(StartFailure) {
        parties = inForce == nil ? try await Self.parties(configuration, after: predecessor, process.certificates) : []
        number = inForce?.number ?? (predecessor?.number ?? 0) + 1
        self.configuration = configuration
        digestKey = process.digestKey
        let none = inForce == nil ? process.noKeySets : process.noKeySets.apart
        let known = predecessor?.contacts ?? .none(keySets: none, logger: process.logger)
        contacts = await known.updated(to: configuration.issuers, beside: inForce?.contacts)
        if let inForce {
            // Always a new cache: a different key set may verify an issuer's tokens now.
            cache = Self.cache(configuration.tokenCache / Self.shadowShare)
            quotas = nil
            denials = inForce.denials(ofShadow: configuration)
        } else if let predecessor {
            await contacts.keySets.firstFetches(within: Self.reloadLimit)
            // The file decides what a token grants. Cached results are therefore valid only while the file's content is
            // the same.
            let isSame = configuration.saysTheSame(as: predecessor.configuration)
            cache = isSame ? predecessor.cache : Self.cache(configuration.tokenCache)
            quotas = QuotaCounting(configuration, after: predecessor.quotas, logger: process.logger)
            denials = await process.denials.next(DenialSettings(configuration))
        } else {
            cache = Self.cache(configuration.tokenCache)
            quotas = QuotaCounting(configuration, after: nil, logger: process.logger)
            denials = await process.denials.present
        }
    }

    /// Reads the files of everything that uses TLS. At the start, files of listeners are not read again:
    /// `CertificateWatch` has just read them.
    private static func parties(
        _ configuration: Configuration, after predecessor: Generation?, _ certificates: CertificateWatch
    ) async throws(StartFailure) -> [LoadedParty] {
        var parties = certificates.listeners.compactMap(\.loaded)
        do {
            if predecessor != nil {
                for index in parties.indices { parties[index] = try await parties[index].party.loaded() }
            }
            for settings in Set(configuration.upstreams.flatMap(\.targets).compactMap(\.security)) {
                parties.append(try await .upstream(settings))
            }
        } catch {
            throw .certificates("\(error)")
        }
        return parties
    }

    private static func cache(_ size: Int) -> VerifiedTokenCache? {
        size > 0 ? VerifiedTokenCache(byteLimit: size) : nil
    }

    /// Deny list for a shadow of this generation: the list in force if both files configure the same, otherwise the
    /// content of the shadow's own file when it was read.
    private func denials(ofShadow other: Configuration) -> AskedDenials {
        if other.denyFile == configuration.denyFile, other.denyIssuers == configuration.denyIssuers,
            other.takesDenials == configuration.takesDenials
        {
            return denials
        }
        let list = DenyList(denials.list.digests)
        list.replace(.file, by: other.denyReading?.table ?? .empty)
        return AskedDenials(list: list, judgesRequests: other.hasDenyList)
    }

    /// Stops all parts that the successor does not use. Without a successor, stops all.
    func release(keptBy successor: Generation?) async {
        await contacts.stop(keptBy: successor?.contacts)
        quotas?.stop(keptBy: successor?.quotas)
    }

    // MARK: Parts for event loops

    /// Makes the configuration for event loops, for a generation that is to be in force.
    func proxyConfiguration() throws(StartFailure) -> ProxyConfiguration {
        ProxyConfiguration(
            generation: number, authorizer: try authorizer(logging: configuration.accessLog.logged),
            upstreams: configuration.upstreams,
            upstreamTLS: upstreamTLS, limits: configuration.limits, timeouts: configuration.timeouts,
            trustedProxies: configuration.trustedProxies, redaction: configuration.redaction,
            tracing: configuration.telemetry?.traces, history: history,
            askSharedQuotas: quotas?.ask, answerWait: { [contacts] wait in await contacts.answer(wait) })
    }

    /// Settings of what is kept for the admin listener. Nil if nobody could read it there.
    private var history: HistorySettings? {
        configuration.admin != nil && configuration.adminToken != nil ? HistorySettings() : nil
    }

    private var upstreamTLS: [TargetSecurity: UpstreamTLS] {
        var all: [TargetSecurity: UpstreamTLS] = [:]
        for case .upstream(let settings, let tls) in parties.map(\.party) { all[settings] = tls }
        return all
    }

    /// Makes the shadow for event loops.
    ///
    /// - Parameter judge: authorizer of the generation in force.
    func shadowPolicy(beside inForce: Generation, _ judge: RequestAuthorizer) throws(StartFailure) -> ShadowPolicy {
        let authorizer = try authorizer(logging: [])
        let shadow = ShadowAuthorizer(
            authorizer, beside: judge,
            introspectionAgrees: { own, other in
                inForce.configuration.issuers[own]?.introspection == configuration.issuers[other]?.introspection
            },
            takesDenials: configuration.takesDenials && authorizer.denyList !== judge.denyList)
        return ShadowPolicy(shadow, besideGeneration: number)
    }

    /// Makes the authorizer of this generation. A gateway makes none elsewhere.
    ///
    /// - Parameter logged: values of tokens that the access log shows. A shadow logs none.
    private func authorizer(logging logged: [LoggedMember]) throws(StartFailure) -> RequestAuthorizer {
        guard let issuers = contacts.issuerKeys else { throw .gateway("an issuer has no key set") }
        // With a secret of its own, a process would share no counts with the others.
        guard quotas?.lacksSecret != true else {
            throw .gateway("the cryptographic library could not generate a secret")
        }
        do {
            return try RequestAuthorizer(
                resources: configuration.protectedResources, issuers: issuers, digestKey: digestKey, cache: cache,
                logged: logged,
                callerSecret: quotas?.secret, accounting: quotas?.accounting ?? .none,
                denials: denials.judgesRequests ? denials.list : nil, streamDenials: denials.list)
        } catch {
            throw .gateway("two resources are at the same place")
        }
    }
}
