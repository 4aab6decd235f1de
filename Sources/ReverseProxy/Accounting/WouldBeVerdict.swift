import RequestAuthorization

/// Verdict that would have applied to a request, and the policy that gave it.
struct WouldBeVerdict: Hashable {
    enum Judge: String {
        /// The rule in force, had it not been in observe mode.
        case observe
        /// The file of `--shadow`.
        case shadow
    }

    let verdict: Verdict
    let judge: Judge
}
