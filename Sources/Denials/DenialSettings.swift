import AccessControl
import Files
import SharedState
import TokenVerification

/// Settings of a configuration for the deny list.
public struct DenialSettings: Sendable {
    /// Content of the deny file, and its stamp from before reading. The stamp is nil if the file could not be examined.
    public typealias Reading = (table: DenyTable, stamp: FileStamp?)
    /// A deny file: its path, and a function that reads the whole file. The validity of entries without `expires`
    /// starts at the time that the function is given.
    public typealias File = (
        path: String, read: @Sendable (DenyIssuers, NumericDate) throws(DenyFileFailure) -> Reading
    )

    /// The deny file. Nil if the configuration names none.
    let file: File?
    /// Content of the deny file when the configuration was read. Nil if there is no file.
    let reading: Reading?
    /// Issuers that entries can name.
    let issuers: DenyIssuers
    /// File in which added entries are saved. Nil if there is no state directory.
    let saved: SavedDenials?
    /// Whether an operator may change the list.
    let isOpen: Bool
    /// The store through which gateways share decisions. Nil if they share none, or if no entries can be added.
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
