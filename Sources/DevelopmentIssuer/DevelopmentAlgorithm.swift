import JOSE

/// A signature algorithm that the development issuer can use.
public enum DevelopmentAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case es384 = "ES384"
    case edDSA = "EdDSA"

    /// Algorithm that keys are generated for. EdDSA uses Ed25519 keys.
    var signatureAlgorithm: SignatureAlgorithm {
        switch self {
        case .rs256: .rs256
        case .ps256: .ps256
        case .es256: .es256
        case .es384: .es384
        case .edDSA: .ed25519
        }
    }
}
