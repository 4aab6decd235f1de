import JOSE

/// Rule for tokens whose protected header names the proxy that signed them.
///
/// Such proxies of all customers of a platform sign with keys from the same place. So the signer, not `aud`, says for
/// whom a token was made.
public struct SignerRule: Sendable, Hashable {
    /// Accepted values of `signer`; never empty.
    public var signers: [String]
    /// Values of `iss` that the header may have; never empty. The claim is compared besides.
    public var issuers: [String]

    public init(signers: [String], issuers: [String]) {
        (self.signers, self.issuers) = (signers, issuers)
    }

    /// Checks of the header, in their order.
    ///
    /// - Parameter clients: accepted values of `client`. Nil if any is accepted, or none.
    func checks(clients: [String]?) -> [IssuerCheck] {
        let all = [
            IssuerCheck(.header(.statement(.issuer, issuers), holds: true), else: .issuerMismatch),
            IssuerCheck(.header(.statement(.signer, signers), holds: true), else: .signerNotAllowed),
        ]
        guard let clients else { return all }
        return all + [IssuerCheck(.header(.statement(.client, clients), holds: true), else: .clientNotAllowed)]
    }
}
