/// An array that accepts only one kind of index, so that indices of different kinds cannot be confused.
///
/// An index out of range returns nil. It belongs to another configuration, or is a mistake, and neither may crash the
/// process.
public struct IndexedBy<Index: TypedIndex, Element> {
    @usableFromInline
    private(set) var elements: [Element]

    @inlinable
    public init(_ elements: [Element]) {
        self.elements = elements
    }

    @inlinable
    public subscript(index: Index) -> Element? {
        elements.indices.contains(index.rawValue) ? elements[index.rawValue] : nil
    }

    @inlinable
    public var count: Int { elements.count }

    @inlinable
    public var isEmpty: Bool { elements.isEmpty }

    @inlinable
    public var first: Element? { elements.first }

    @inlinable
    public var last: Element? { elements.last }

    /// Every element with its index.
    public var indexed: [(index: Index, element: Element)] {
        elements.enumerated().map { (Index($0.offset), $0.element) }
    }

    /// Index of the first element that satisfies the condition. Nil if none does.
    public func firstIndex<Failure: Error>(where answers: (Element) throws(Failure) -> Bool) throws(Failure) -> Index? {
        for (offset, element) in elements.enumerated() where try answers(element) { return Index(offset) }
        return nil
    }

    /// Transforms the elements; the result has the same indices.
    public func mapped<Other, Failure: Error>(_ transform: (Element) throws(Failure) -> Other) throws(Failure)
        -> IndexedBy<Index, Other>
    {
        IndexedBy<Index, Other>(try elements.map(transform))
    }

    /// The index that the next element will have.
    public var nextIndex: Index { Index(elements.count) }

    public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Changes an element without copying it. Does nothing if the index is out of range.
    public mutating func update(_ index: Index, _ change: (inout Element) -> Void) {
        guard elements.indices.contains(index.rawValue) else { return }
        change(&elements[index.rawValue])
    }

    /// Removes and returns an element; the elements after it move up. Nil if the index is out of range.
    public mutating func remove(at index: Index) -> Element? {
        elements.indices.contains(index.rawValue) ? elements.remove(at: index.rawValue) : nil
    }
}

extension IndexedBy: Sequence {
    @inlinable
    public func makeIterator() -> IndexingIterator<[Element]> {
        elements.makeIterator()
    }
}

extension IndexedBy: ExpressibleByArrayLiteral {
    @inlinable
    public init(arrayLiteral elements: Element...) {
        self.init(elements)
    }
}

extension IndexedBy: Sendable where Element: Sendable {}
extension IndexedBy: Equatable where Element: Equatable {}
extension IndexedBy: Hashable where Element: Hashable {}
