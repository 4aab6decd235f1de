/// Events ordered by time; events of the same time in the order in which they were added.
public struct EventQueue<Element> {
    private var heap: [(time: Int64, number: Int, element: Element)] = []
    private var number = 0

    public init() {}

    /// Time of the next event. Nil if there is none.
    public var nextTime: Int64? { heap.first?.time }

    public mutating func push(_ element: Element, at time: Int64) {
        number += 1
        heap.append((time, number, element))
        var child = heap.count - 1
        while child > 0, isEarlier(child, than: (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    public mutating func pop() -> (Int64, Element)? {
        guard let first = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { isEarlier($0, than: $1) }), isEarlier(least, than: parent) else {
                break
            }
            heap.swapAt(least, parent)
            parent = least
        }
        return (first.time, first.element)
    }

    private func isEarlier(_ one: Int, than other: Int) -> Bool {
        (heap[one].time, heap[one].number) < (heap[other].time, heap[other].number)
    }
}
