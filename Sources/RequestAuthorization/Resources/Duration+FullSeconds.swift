import TokenVerification

extension Duration {
    /// Seconds, rounded up, and at least 1.
    var inFullSeconds: Int { max(1, Int(inSeconds.rounded(.up))) }
}
