import Synchronization
import TokenVerification

/// Key stores of the realms of one issuer that have a place. Their owner writes it, and every request reads it.
///
/// The index of a realm is never given to another in the same process. So what was verified with a key of one realm
/// cannot count as verified for another.
public final class RealmStores: Sendable {
    public struct Realm: Sendable {
        public let index: KeySetIndex
        public let store: KeySetStore
    }

    private struct Table {
        var byName: [[UInt8]: Realm] = [:]
        var byIndex: [Int: KeySetStore] = [:]
    }

    private let table = Mutex(Table())
    private static let lastIndex = Atomic<Int>(0)

    public init() {}

    public var count: Int { table.withLock { $0.byName.count } }

    /// The realm of this name, compared byte for byte. Nil if it has no place.
    public func realm(named name: String) -> Realm? {
        let bytes = Array(name.utf8)
        return table.withLock { $0.byName[bytes] }
    }

    /// The store of the realm with this index. Nil if no realm has it any more.
    public func store(_ index: KeySetIndex) -> KeySetStore? { table.withLock { $0.byIndex[index.rawValue] } }

    /// Gives a realm a place, with an index that no realm had before. Replaces an earlier place of the realm.
    public func add(_ name: String, _ store: KeySetStore) {
        let index = KeySetIndex(Self.lastIndex.wrappingAdd(1, ordering: .relaxed).newValue)
        table.withLock { table in
            if let earlier = table.byName.updateValue(Realm(index: index, store: store), forKey: Array(name.utf8)) {
                table.byIndex[earlier.index.rawValue] = nil
            }
            table.byIndex[index.rawValue] = store
        }
    }

    /// Takes the place of a realm away. Does nothing if it has none.
    public func remove(_ name: String) {
        table.withLock { table in
            guard let realm = table.byName.removeValue(forKey: Array(name.utf8)) else { return }
            table.byIndex[realm.index.rawValue] = nil
        }
    }
}
