import TokenVerification

extension Duration {
    /// Rounded up, and never 0.
    var inFullSeconds: Int { max(1, Int(inSeconds.rounded(.up))) }
}
