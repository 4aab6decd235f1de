import StrictJSON

/// An item that the shop sells.
enum CatalogueItem: String, Sendable, Hashable, CaseIterable {
    case mug
    case teapot
    case tea

    var title: String {
        switch self {
        case .mug: "Stoneware mug"
        case .teapot: "Cast-iron teapot"
        case .tea: "Assam, 250 g"
        }
    }

    var priceInCents: Int {
        switch self {
        case .mug: 1450
        case .teapot: 6900
        case .tea: 890
        }
    }

    /// The whole catalogue as JSON.
    static var json: String {
        JSONObjectWriter.text { writer, bytes in
            writer.objects("items", allCases, into: &bytes) { item, writer, bytes in
                writer.member("item", string: item.rawValue, into: &bytes)
                writer.member("title", string: item.title, into: &bytes)
                writer.member("price_cents", integer: item.priceInCents, into: &bytes)
            }
        }
    }
}
