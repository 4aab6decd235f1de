/// Requests of one kind at one node: evenly spaced, from a phase that is drawn.
struct Arrivals {
    /// In a second.
    let rate: Int64
    /// When the first one comes.
    let first: Int64
    /// From when on none comes.
    let end: Int64

    /// How many come before a time.
    func count(before time: Int64) -> Int64 {
        let span = min(time, end) - first
        guard span > 0, rate > 0 else { return 0 }
        return (span * rate + VirtualTime.second - 1) / VirtualTime.second
    }

    /// Time of a request, by its number from 0. Nil if it does not come.
    func time(of number: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        let time = first + number * VirtualTime.second / rate
        return time < end ? time : nil
    }
}
