import ConfigurationFile
import JOSE
import KeySetFetching
import KeySets
import TokenVerification
import TypedIndices

extension Configuration {
    /// Fetches each key set once; reports what was found, good or bad.
    ///
    /// - Parameter tell: told each as it comes.
    func checkKeySets(tell: (Problem) -> Void) async -> [Problem] {
        var all: [Problem] = []
        for (issuer, place) in zip(issuers, issuerPlaces) {
            for (index, keySet) in issuer.keySets.indexed {
                let found = await Self.check(keySet, index, of: place)
                all.append(found)
                tell(found)
            }
        }
        return all
    }

    private static func check(_ keySet: KeySetConfiguration, _ index: KeySetIndex, of place: IssuerPlace) async -> Problem {
        do throws(KeySetFetchFailure) {
            let keys = try await OneTimeKeySet.load(keySet)
            return place.keysFound(keySet: index, usable: keys.keys.count, skipped: keys.skipped.count)
        } catch {
            return place.problem(.error, keySet: index, "\(error)")
        }
    }
}
