import ConfigurationFile
import JOSE
import KeySetFetching
import KeySets
import TokenVerification
import TypedIndices

extension Configuration {
    /// Fetches each key set once, and tells what it was like.
    ///
    /// - Parameter tell: told each as it comes.
    func fetchKeySets(tell: (Problem) -> Void) async -> [Problem] {
        var all: [Problem] = []
        for (issuer, place) in zip(issuers, issuerPlaces) {
            for (index, keySet) in issuer.keySets.indexed {
                let found = await Self.look(keySet, index, of: place)
                all.append(found)
                tell(found)
            }
        }
        return all
    }

    private static func look(_ keySet: KeySetConfiguration, _ index: KeySetIndex, of place: IssuerPlace) async -> Problem {
        do throws(KeySetFetchFailure) {
            let keys = try await OneTimeKeySet.load(keySet)
            return place.keysFound(keySet: index, usable: keys.keys.count, skipped: keys.skipped.count)
        } catch {
            return place.problem(.error, keySet: index, "\(error)")
        }
    }
}
