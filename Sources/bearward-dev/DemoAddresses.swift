import DevelopmentIssuer

/// Listening addresses of the demo's three parts.
struct DemoAddresses: Sendable, Hashable {
    let gateway: DemoAddress
    let issuer: DemoAddress
    let shop: DemoAddress

    func startShop() async throws(CommandFailure) -> SampleShop {
        try await shop.start { address async throws(ServerStartFailure) in try await SampleShop.start(on: address) }
    }
}

/// An address that was asked for, or else the usual one.
struct DemoAddress: Sendable, Hashable {
    /// Nil if the command line does not say.
    let wanted: ServerAddress?
    let usual: ServerAddress
    /// The option that says it.
    let option: String

    /// The address to try first.
    var first: ServerAddress { wanted ?? usual }

    /// Starts a server there. If no address was given and the usual one is taken, any free port will do.
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
    /// Starts a server there and nowhere else; the address is the one of the option `--listen`.
    func start<Server>(
        _ start: (ServerAddress) async throws(ServerStartFailure) -> Server,
    ) async throws(CommandFailure) -> Server {
        try await DemoAddress(wanted: self, usual: self, option: "--listen").start(start)
    }
}
