extension SampleTrial {
    /// Differences of an answer from the expected one, each in a few words.
    ///
    /// Empty if there are none. Ignores the reason, which a gateway keeps to itself; compares only what a client sees.
    ///
    /// - Parameter challenge: the `WWW-Authenticate` field. Nil if it is absent.
    public func differences(status: Int, challenge: String?) -> [String] {
        let expected = expectedStatus ?? forwardedStatus
        var differences = status == expected ? [] : ["expected status \(expected)"]
        let error = challenge.flatMap { field in ReceivedChallenge(field) }?["error"]
        if error != expectedError {
            differences.append("expected \(Self.name(expectedError)) in the challenge, but it is \(Self.name(error))")
        }
        return differences
    }

    /// Status of the sample shop's answer if the gateway forwards the request.
    public var forwardedStatus: Int {
        call.method == "POST" ? 201 : 200
    }

    /// The `error` of the challenge (RFC 6750 §3.1); nil where there is none.
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
