import StrictJSON

/// The usable keys of a JWK set (RFC 7517 §5), and the reasons why the others are not usable.
///
/// Keys are read as real servers publish them (``JWKForm/published``), and compared by their material. One invalid key
/// never makes the set invalid. Of keys with the same ID, type and material, one is kept. If the material differs, none
/// of them is used. Keys with the same ID but different types are all kept, each for its own algorithms.
public struct KeySet: Sendable {
    public let keys: [VerificationKey]
    public let skipped: [SkippedKey]
    /// Well-formed keys that the document writes in an unusual way. Includes duplicates, and keys that are skipped
    /// because their ID is ambiguous.
    public let unusual: [UnusualKey]
    private let placesByID: [String: [Int]]

    /// Reads a JWK set document.
    public init(
        parsing document: Span<UInt8>, limits: KeySetLimits = KeySetLimits(), use: KeyUse = .signatures
    ) throws(KeySetRejection) {
        let entries = try Self.entries(of: document, limits: limits)
        var candidates: [Candidate] = []
        var skipped: [SkippedKey] = []
        var unusual: [UnusualKey] = []
        for (index, entry) in entries.enumerated() {
            do throws(JSONWebKeyRejection) {
                let description = try JSONWebKey(entry, use: use, form: .published)
                candidates.append(Candidate(key: try VerificationKey(description), index: index))
                guard !description.deviations.isEmpty else { continue }
                unusual.append(UnusualKey(keyID: description.keyID, index: index, deviations: description.deviations))
            } catch {
                skipped.append(SkippedKey(keyID: JSONWebKey.presentableKeyID(of: entry), index: index, reason: error))
            }
        }
        self.init(candidates: candidates, skipped: skipped, unusual: unusual)
        guard !keys.isEmpty else { throw .noUsableKey(self.skipped) }
    }

    /// Makes a set of keys that come from several sets. It may be empty.
    public init(keys: [VerificationKey]) {
        self.init(candidates: keys.enumerated().map { index, key in Candidate(key: key, index: index) })
    }

    private init(candidates: [Candidate], skipped: [SkippedKey] = [], unusual: [UnusualKey] = []) {
        let (kept, ambiguous) = Candidate.resolvingDuplicates(candidates)
        keys = kept.map(\.key)
        self.skipped = [skipped, ambiguous].joined().sorted { left, right in left.index < right.index }
        self.unusual = unusual
        placesByID = Self.places(of: keys)
    }

    /// Finds the key with this ID, compared byte for byte, that may be used with the algorithm.
    public func key(keyID: String, algorithm: HeaderAlgorithm) -> KeyLookup {
        guard let places = placesByID[keyID] else { return .unknownKeyID }
        for place in places {
            let key = keys[place]
            // Swift's strings are equal if they are canonically equivalent. Key IDs are equal only if their bytes are.
            guard let own = key.keyID, own.utf8.elementsEqual(keyID.utf8) else { continue }
            if let resolved = algorithm.resolved(for: key.algorithms) { return .found(key, resolved) }
        }
        return hasKey(keyID: keyID, at: places) ? .notForAlgorithm : .unknownKeyID
    }

    private func hasKey(keyID: String, at places: [Int]) -> Bool {
        places.contains { place in keys[place].keyID?.utf8.elementsEqual(keyID.utf8) ?? false }
    }

    /// True if any key has an ID.
    public var hasKeyIDs: Bool { !placesByID.isEmpty }

    /// The set with additional keys from another source. The skipped keys of the document stay listed.
    public func adding(_ others: [VerificationKey]) -> KeySet {
        guard !others.isEmpty else { return self }
        return KeySet(
            candidates: [keys, others].joined().enumerated().map { index, key in Candidate(key: key, index: index) },
            skipped: skipped, unusual: unusual)
    }

    private static func entries(of document: Span<UInt8>, limits: KeySetLimits) throws(KeySetRejection) -> [JSONValue] {
        let root = try root(of: document, limits: limits)
        guard let list = root[member: "keys"] else {
            if let other = OtherDocument(root) { throw .otherDocument(other) }
            throw root.kind == .object ? .noKeysMember : .notObject
        }
        guard list.kind == .array else { throw .noKeysMember }
        guard list.count <= limits.keys else { throw .tooManyKeys }
        return Array(list.elements)
    }

    private static func root(of document: Span<UInt8>, limits: KeySetLimits) throws(KeySetRejection) -> JSONValue {
        var json = JSONLimits.keySet
        json.bytes = limits.bytes
        do throws(JSONRejection) {
            return try JSONDocument(parsing: document, limits: json).root
        } catch {
            if error == .tooLarge { throw .tooLarge }
            if let other = OtherDocument(notJSON: document) { throw .otherDocument(other) }
            throw .notJSON(error)
        }
    }

    private static func places(of keys: [VerificationKey]) -> [String: [Int]] {
        var places: [String: [Int]] = [:]
        for (place, key) in keys.enumerated() {
            if let keyID = key.keyID { places[keyID, default: []].append(place) }
        }
        return places
    }
}
