/// DNS record types that contain addresses (RFC 1035 §3.2.2, RFC 3596 §2.1).
enum RecordType: CInt {
    case a = 1
    case aaaa = 28

    /// DNS class of these records (RFC 1035 §3.2.4).
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
