import NetworkNames

/// The answer to one question: the addresses of one family that one full name has.
enum RecordAnswer: Hashable {
    /// Never empty; with the shortest time to live in the chain that leads to them.
    case addresses([IPAddress], seconds: Int)
    /// The name does not exist, or has no address of this family.
    case none
    /// No answer, or one that says nothing of the name.
    case failed(String)
}
