import ConfigurationFile
import GatewayAssembly
import JOSE
import KeySetFetching
import KeySets
import StrictJSON
import TokenIntrospection
import TokenVerification

extension Configuration {
    /// Fetches once from each issuer the data that the gateway will need, and reports each outcome, good or bad.
    ///
    /// - Parameter tell: called with each outcome as soon as it is known.
    func checkIssuers(tell: (Problem) -> Void) async -> [Problem] {
        var all: [Problem] = []
        func note(_ found: Problem) {
            all.append(found)
            tell(found)
        }
        var scopes: [IssuerIndex: [String]] = [:]
        for (index, issuer) in issuers.indexed {
            for (keySet, configuration) in issuer.keySets.indexed {
                await Self.check(configuration, keySet, of: issuer.place).forEach(note)
            }
            if let realms = issuer.realms { note(issuer.place.realmsNotAsked(realms.pattern)) }
            if let found = await Self.checkIntrospection(of: issuer) { note(found) }
            scopes[index] = await Self.listedScopes(of: issuer)
        }
        unlistedScopes(scopes).forEach(note)
        return all
    }

    private static func check(_ keySet: KeySetConfiguration, _ index: KeySetIndex, of place: IssuerPlace) async
        -> [Problem]
    {
        guard !keySet.source.hasSingleKeys else { return [await probe(keySet, index, of: place)] }
        do throws(KeySetFetchFailure) {
            let keys = try await OneTimeKeySet.load(keySet)
            let found = place.keysFound(keySet: index, usable: keys.keys.count, skipped: keys.skipped.count)
            let skipped = keys.skipped.map { place.problem(of: $0, keySet: index) }
            return [found] + skipped + keys.unusual.map { place.problem(of: $0, keySet: index) }
        } catch {
            return [place.problem(.error, keySet: index, "\(error)")]
        }
    }

    /// Asks a place of single keys for a key that no token names, so that nothing but the place itself is tried.
    private static func probe(_ keySet: KeySetConfiguration, _ index: KeySetIndex, of place: IssuerPlace) async
        -> Problem
    {
        let source = keySet.source.description
        do throws(KeySetFetchFailure) {
            _ = try await OneTimeKeySet.key("00000000-0000-0000-0000-000000000000", keySet)
            return place.problem(
                .note, keySet: index, "\(source) answers; keys are fetched when a token names one, so none was tried")
        } catch {
            return place.problem(.error, keySet: index, "\(error)")
        }
    }

    // MARK: Introspection

    /// Asks the introspection endpoint about a made-up token, with the credentials of the file. Nil if opaque tokens
    /// are rejected.
    private static func checkIntrospection(of issuer: ConfiguredIssuer) async -> Problem? {
        guard let configuration = issuer.introspectionConfiguration, let place = issuer.place.introspection
        else { return nil }
        do throws(IntrospectionFailure) {
            let answer = try await OneTimeIntrospection.ask(configuration, about: madeUpToken)
            return judge(answer, at: place.section)
        } catch {
            guard case .clientRefused = error else { return place.section.problem(.error, "\(error)") }
            return place.credentialsRefused("\(error)")
        }
    }

    private static func judge(_ answer: OneTimeIntrospection.Answer, at place: FilePlace) -> Problem {
        let endpoint = answer.endpoint
        return switch answer.response.claims.json[member: "active"]?.boolean {
        case false: place.problem(.note, "\(endpoint) answers and accepts the credentials")
        case true:
            place.problem(
                .error, "\(endpoint) reports a made-up token as active",
                hint: "so it would accept every token; check `endpoint`"
            )
        case nil:
            place.problem(
                .error,
                "\(endpoint) answered without `active`, true or false, so this is no introspection (RFC 7662 §2.2)",
                hint: "check `endpoint`")
        }
    }

    private static var madeUpToken: String {
        "bearward-check-" + (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
    }

    // MARK: Scopes

    /// Scopes that the issuer's metadata lists. Nil if some key set has no metadata, or if the metadata lists no
    /// scopes.
    private static func listedScopes(of issuer: ConfiguredIssuer) async -> [String]? {
        var all: [String] = []
        for keySet in issuer.keySets {
            // A problem of the document was reported with its key set.
            guard let scopes = try? await OneTimeKeySet.metadata(keySet)?.scopes else { return nil }
            all += scopes
        }
        return all
    }
}
