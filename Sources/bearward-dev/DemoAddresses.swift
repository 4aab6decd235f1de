import DevelopmentIssuer

/// Listening addresses of the demo's three servers.
struct DemoAddresses: Sendable, Hashable {
    let gateway: DemoAddress
    let issuer: DemoAddress
    let shop: DemoAddress

    func startShop() async throws(CommandFailure) -> SampleShop {
        try await shop.start { address async throws(ServerStartFailure) in try await SampleShop.start(on: address) }
    }
}

/// Listening address of one server: given by an option, or the default one.
struct DemoAddress: Sendable, Hashable {
    /// Address given on the command line. Nil if none is given.
    let wanted: ServerAddress?
    let usual: ServerAddress
    /// Command-line option that gives the address.
    let option: String

    /// The address to try first.
    var first: ServerAddress { wanted ?? usual }

    /// Starts a server at the address. If the default address is in use, any free port is taken.
    func start<Server>(
        _ start: (ServerAddress) async throws(ServerStartFailure) -> Server,
    ) async throws(CommandFailure) -> Server {
        do throws(ServerStartFailure) {
            do throws(ServerStartFailure) {
                return try await start(first)
            } catch .addressInUse(let address) where wanted == nil {
                StandardError.note("\(address) is in use, so a free port is taken; choose one with \(option) HOST:PORT")
                return try await start(.anyLoopback)
            }
        } catch {
            throw .notBound(error, option: option)
        }
    }
}

extension ServerAddress {
    /// Starts a server at exactly this address, which the option `--listen` gives.
    func start<Server>(
        _ start: (ServerAddress) async throws(ServerStartFailure) -> Server,
    ) async throws(CommandFailure) -> Server {
        try await DemoAddress(wanted: self, usual: self, option: "--listen").start(start)
    }
}
