import RequestAuthorization

/// What would have become of a request, and who says so.
struct WouldBeVerdict: Hashable {
    enum Judge: String {
        /// The file in force, if its rule were not only observed.
        case observe
        /// The file of `--shadow`.
        case shadow
    }

    let verdict: Verdict
    let judge: Judge
}
