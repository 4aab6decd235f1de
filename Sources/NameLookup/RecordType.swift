/// The types of DNS records that have addresses (RFC 1035 §3.2.2, RFC 3596 §2.1).
enum RecordType: CInt {
    case a = 1
    case aaaa = 28

    /// The class of all of them (RFC 1035 §3.2.4).
    static let internet: CInt = 1

    init(_ family: AddressFamily) {
        self =
            switch family {
            case .ipv4: .a
            case .ipv6: .aaaa
            }
    }

    var text: String {
        switch self {
        case .a: "A"
        case .aaaa: "AAAA"
        }
    }
}
