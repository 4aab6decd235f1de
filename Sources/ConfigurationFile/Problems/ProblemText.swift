/// Message and hint of a problem whose location is not known yet.
struct ProblemText {
    let message: String
    var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
