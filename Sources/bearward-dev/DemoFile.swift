/// The gateway's configuration file in the demo, as an operator would write it for the shop.
struct DemoFile: Sendable, Hashable {
    var listen: String
    let accessLog: String
    let issuer: String
    let shop: String

    /// Identifier of the resource, which must be the audience of its tokens.
    static let resource = "https://shopping.your-app.com/api"

    var text: String {
        """
        listen: \(listen.quotedAddress)
        access_log: \(accessLog)

        issuers:
          demo:
            issuer: \(issuer)
            algorithms: [RS256]
            token_type: at+jwt

        resources:
          \(Self.resource):       # the audience that its tokens must name
            at: [/api]                             # where it is: this path of any host, so that 127.0.0.1 will do
            issuers: [demo]
            upstream: \(shop)
            strip_prefix: true                     # the shop's own paths begin with /orders, not /api/orders
            rules:
              GET,HEAD /status: {public: true}
              GET /catalog/**: {any_of: [shopping:read, store:read]}
              GET /orders/**: shopping:read
              POST /orders: shopping:write
              DELETE /orders/{id}: shopping:write shopping:admin
              GET /me: authenticated
            forward:
              identity: {subject: X-Auth-Subject, scopes: X-Auth-Scope, client: X-Auth-Client}

        """
    }
}

extension String {
    /// The address as written in the configuration file. IPv6 is quoted, since its brackets would be a YAML list.
    var quotedAddress: String { hasPrefix("[") ? "\"\(self)\"" : self }
}
