extension SampleTrial {
    /// Compares a response with the expected one and describes each difference in a few words. Empty if there are none.
    ///
    /// Compares only what a client sees, not the reason, which a gateway does not disclose.
    ///
    /// - Parameter challenge: value of `WWW-Authenticate`. Nil if the response has none.
    public func differences(status: Int, challenge: String?) -> [String] {
        let expected = expectedStatus ?? forwardedStatus
        var differences = status == expected ? [] : ["expected status \(expected)"]
        let error = challenge.flatMap { field in ReceivedChallenge(field) }?["error"]
        if error != expectedError {
            differences.append("expected \(Self.name(expectedError)) in the challenge, but it is \(Self.name(error))")
        }
        return differences
    }

    /// Status of the sample shop's response if the gateway forwards the request.
    public var forwardedStatus: Int {
        call.method == "POST" ? 201 : 200
    }

    /// Expected `error` of the challenge (RFC 6750 §3.1). Nil if there is none.
    public var expectedError: String? {
        switch expectedStatus {
        case nil: nil
        case 403: "insufficient_scope"
        default: "invalid_token"
        }
    }

    private static func name(_ error: String?) -> String {
        error ?? "no error"
    }
}
