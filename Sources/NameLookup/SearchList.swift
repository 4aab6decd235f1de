/// How `/etc/resolv.conf` completes names: `search` and `options ndots`.
struct SearchList: Hashable {
    /// A name with as many dots is asked for as it is before it is completed.
    var dots = 1
    var domains: [String] = []

    /// The full names to ask for, one after the other, until one has an address.
    func fullNames(of name: String) -> [String] {
        // It is full already (RFC 1034 §3.1).
        guard !name.hasSuffix(".") else { return [name] }
        let completed = domains.filter { $0 != "." }.map { "\(name).\($0)" }
        return name.utf8.count { $0 == UInt8(ascii: ".") } >= dots ? [name] + completed : completed + [name]
    }
}
