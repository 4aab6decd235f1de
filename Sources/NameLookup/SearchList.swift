/// Rules of `/etc/resolv.conf` for completing names: `search` and `options ndots`.
struct SearchList: Hashable {
    /// Number of dots from which a name is first asked for as it is, before it is completed.
    var dots = 1
    var domains: [String] = []

    /// Full names to ask for, one after the other, until one has an address.
    func fullNames(of name: String) -> [String] {
        // A name with a final dot is already complete (RFC 1034 §3.1).
        guard !name.hasSuffix(".") else { return [name] }
        let completed = domains.filter { $0 != "." }.map { "\(name).\($0)" }
        return name.utf8.count { $0 == UInt8(ascii: ".") } >= dots ? [name] + completed : completed + [name]
    }
}
