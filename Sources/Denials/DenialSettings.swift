import AccessControl
import Files
import SharedState
import TokenVerification

/// Everything that a configuration says of denials.
public struct DenialSettings: Sendable {
    /// Content of the file, and its stamp from before it was read. The stamp is nil if the file could not be looked at.
    public typealias Reading = (table: DenyTable, stamp: FileStamp?)
    /// A deny list in a file, and how it is read whole. Entries without `expires` count from the time that is given.
    public typealias File = (
        path: String, read: @Sendable (DenyIssuers, NumericDate) throws(DenyFileFailure) -> Reading
    )

    /// Nil if the configuration names none.
    let file: File?
    /// The reading of the file with which the configuration was made.
    let reading: Reading?
    /// The issuers that entries can name.
    let issuers: DenyIssuers
    /// The file that keeps the entries that are added. Nil if nothing can be kept.
    let saved: SavedDenials?
    /// Whether an operator may change the list.
    let isOpen: Bool
    /// The store by which gateways share their decisions. Nil if they share none, or nothing can be added.
    let store: StoreSettings?

    public init(
        file: File?, reading: Reading?, issuers: DenyIssuers, stateDirectory: String?, isOpen: Bool,
        store: StoreSettings?
    ) {
        (self.file, self.reading, self.issuers) = (file, reading, issuers)
        saved = stateDirectory.map { SavedDenials(in: $0) }
        self.isOpen = isOpen && saved != nil
        self.store = self.isOpen ? store : nil
    }
}
