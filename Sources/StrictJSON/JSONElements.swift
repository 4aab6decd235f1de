/// The elements of a JSON array, in order.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let array: JSONValue
    private var index = 0

    init(array: JSONValue) {
        self.array = array
    }

    public mutating func next() -> JSONValue? {
        guard let element = array[index: index] else { return nil }
        index &+= 1
        return element
    }
}
