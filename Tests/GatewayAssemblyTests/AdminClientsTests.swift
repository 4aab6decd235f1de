import NetworkNames
import Testing

@testable import GatewayAssembly

struct AdminClientsTests {
    private static let clients = AdminClients(["10.0.0.0/8", "2001:db8::/32"].compactMap { AddressRange($0) })

    @Test(arguments: [
        "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3", "2001:db8::7",
    ])
    func `admin clients on this machine and in the listed networks are answered`(_ address: String) {
        #expect(Self.clients.contains(address))
    }

    @Test(arguments: [
        "11.0.0.1", "192.0.2.7", "::ffff:192.0.2.7", "2001:db9::7", "::2", "64:ff9b::7f00:1", "nonsense", "",
    ])
    func `admin clients of other addresses are refused`(_ address: String) {
        #expect(!Self.clients.contains(address))
        #expect(!AdminClients([]).contains(address))
    }

    @Test func `an admin client whose address is unknown is refused`() {
        #expect(!Self.clients.contains(nil))
    }

    @Test(arguments: ["192.0.2.7", "", "::2"])
    func `without configured networks every admin client is answered`(_ address: String) {
        #expect(AdminClients(nil).contains(address))
        #expect(AdminClients(nil).contains(nil))
    }
}
