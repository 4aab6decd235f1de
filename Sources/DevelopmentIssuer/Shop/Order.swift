import StrictJSON

/// An order that the shop has accepted.
struct Order: Sendable, Hashable {
    let id: Int
    let item: CatalogueItem
    let quantity: Int
    let status: String

    var json: String {
        JSONObjectWriter.text { writer, bytes in write(with: &writer, into: &bytes) }
    }

    func write(with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.member("id", integer: id, into: &bytes)
        writer.member("item", string: item.rawValue, into: &bytes)
        writer.member("quantity", integer: quantity, into: &bytes)
        writer.member("total_cents", integer: quantity * item.priceInCents, into: &bytes)
        writer.member("status", string: status, into: &bytes)
    }
}

/// An order as a customer sends it.
struct OrderWish: Sendable, Hashable {
    let item: CatalogueItem
    let quantity: Int

    private static let quantities: ClosedRange<Int64> = 1...100

    init(item: CatalogueItem, quantity: Int) {
        self.item = item
        self.quantity = quantity
    }

    /// Parses an order: an item of the catalogue and a quantity from 1 to 100, by default 1. Returns nil for any other
    /// JSON.
    init?(parsing json: [UInt8]) {
        guard let root = try? JSONDocument(parsing: json, limits: .document).root,
            let name = root[member: "item"]?.string,
            let item = CatalogueItem(rawValue: name)
        else { return nil }
        guard let wanted = root[member: "quantity"] else {
            self.init(item: item, quantity: 1)
            return
        }
        guard let quantity = wanted.integer, Self.quantities.contains(quantity) else { return nil }
        self.init(item: item, quantity: Int(quantity))
    }
}
