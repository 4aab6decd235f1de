import NetworkNames

/// Answer to one question: the addresses of one family for one full name.
enum RecordAnswer: Hashable {
    /// Addresses, at least one, with the shortest time to live in the chain of records that leads to them.
    case addresses([IPAddress], seconds: Int)
    /// The name does not exist, or has no address of this family.
    case none
    /// Time-out, server failure, or a response without an answer for the name. The text is for operators.
    case failed(String)
}
