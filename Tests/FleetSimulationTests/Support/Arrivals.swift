/// Requests of one kind at one node: evenly spaced, from a random phase.
struct Arrivals {
    /// Requests per second.
    let rate: Int64
    /// Time of the first request.
    let first: Int64
    /// Time after which no request comes.
    let end: Int64

    /// Number of requests before a time.
    func count(before time: Int64) -> Int64 {
        let span = min(time, end) - first
        guard span > 0, rate > 0 else { return 0 }
        return (span * rate + VirtualTime.second - 1) / VirtualTime.second
    }

    /// Time of a request, by its number from 0. Nil if there is no such request.
    func time(of number: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        let time = first + number * VirtualTime.second / rate
        return time < end ? time : nil
    }
}
