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
import TokenVerification
import TransportSecurity

/// One configuration with everything that its requests are judged and forwarded by: in force, or beside it as a shadow.
///
/// A shadow counts nobody and asks nobody: it has no quotas, no upstreams, key sets of its own only where the file in
/// force does not name them, and a quarter of the cache that its file would have.
struct Generation: Sendable {
    /// Counts reloads, from 1. A shadow has the number of the generation that it is compared with.
    let number: Int
    let configuration: Configuration
    let contacts: IssuerContacts
    /// The cache of verified tokens. Nil if the file wants none.
    let cache: VerifiedTokenCache?
    /// Nil for a shadow.
    let quotas: QuotaCounting?
    /// Certificates of listeners and upstreams, until the watch has them, which replaces them from then on.
    var parties: [LoadedParty]
    let denials: AskedDenials
    private let digestKey: TokenDigestKey

    /// Longest wait of a reload for the keys of a new issuer.
    private static let reloadLimit: Duration = .seconds(5)
    /// Part of the cache for a shadow; tokens of the file in force are remembered besides.
    private static let shadowShare = 4

    /// Prepares a generation and puts it in place, wholly or not at all: if that fails, what was prepared is released
    /// here, and nothing has changed.
    ///
    /// - Parameters:
    ///   - predecessor: the generation whose place it takes, and whose parts it keeps where both files name the same.
    ///     Nil for the first.
    ///   - inForce: the generation that it is compared with, if it is a shadow. Nil if it is to be in force.
    ///   - commit: puts it in place.
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

    /// - Throws: before there is anything to release.
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
            // Always a new one: what vouches for a token may be another key set since.
            cache = Self.cache(configuration.tokenCache / Self.shadowShare)
            quotas = nil
            denials = inForce.denials(ofShadow: configuration)
        } else if let predecessor {
            await contacts.keySets.firstFetches(within: Self.reloadLimit)
            // The file decides what a token grants, so cached results last only as long as the file has the same
            // content.
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

    /// Reads the files of everything that uses TLS. Those of listeners were read at the start, when these got theirs.
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

    /// The list in force where both files name the same one; else what the shadow's own file said when it was read.
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

    /// Ends everything here that the successor does not use; without one, everything.
    func release(keptBy successor: Generation?) async {
        await contacts.stop(keptBy: successor?.contacts)
        quotas?.stop(keptBy: successor?.quotas)
    }

    // MARK: What event loops get of it

    /// The configuration of the event loops, if this is to be in force.
    func proxyConfiguration() throws(StartFailure) -> ProxyConfiguration {
        ProxyConfiguration(
            generation: number, authorizer: try authorizer(), upstreams: configuration.upstreams,
            upstreamTLS: upstreamTLS, limits: configuration.limits, timeouts: configuration.timeouts,
            trustedProxies: configuration.trustedProxies, redaction: configuration.redaction,
            askSharedQuotas: quotas?.ask, answerWait: { [contacts] wait in await contacts.answer(wait) })
    }

    private var upstreamTLS: [TargetSecurity: UpstreamTLS] {
        var all: [TargetSecurity: UpstreamTLS] = [:]
        for case .upstream(let settings, let tls) in parties.map(\.party) { all[settings] = tls }
        return all
    }

    /// The shadow of the event loops.
    ///
    /// - Parameter judge: of the generation in force.
    func shadowPolicy(beside inForce: Generation, _ judge: RequestAuthorizer) throws(StartFailure) -> ShadowPolicy {
        let authorizer = try authorizer()
        let shadow = ShadowAuthorizer(
            authorizer, beside: judge,
            introspectionAgrees: { own, other in
                inForce.configuration.issuers[own]?.introspection == configuration.issuers[other]?.introspection
            },
            takesDenials: configuration.takesDenials && authorizer.denyList !== judge.denyList)
        return ShadowPolicy(shadow, besideGeneration: number)
    }

    /// The only place where a gateway makes one.
    private func authorizer() throws(StartFailure) -> RequestAuthorizer {
        guard let issuers = contacts.issuerKeys else { throw .gateway("an issuer has no key set") }
        // Under a secret of its own, a process would share nothing.
        guard quotas?.lacksSecret != true else { throw .gateway("the cryptographic library made no secret") }
        do {
            return try RequestAuthorizer(
                resources: configuration.protectedResources, issuers: issuers, digestKey: digestKey, cache: cache,
                callerSecret: quotas?.secret, accounting: quotas?.accounting ?? .none,
                denials: denials.judgesRequests ? denials.list : nil, streamDenials: denials.list)
        } catch {
            throw .gateway("two resources are at the same place")
        }
    }
}
