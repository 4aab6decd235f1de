/// Rejection or wait that ends the walk of a request before it is forwarded.
enum Interruption: Error {
    case reject(Rejection)
    case wait(AuthorizationWait)

    func outcome(_ facts: AuthorizationFacts) -> AuthorizationOutcome {
        switch self {
        case .reject(let rejection): .reject(rejection, facts)
        case .wait(let wait): .wait(for: wait, facts)
        }
    }
}
