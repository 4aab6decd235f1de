import COpenSSL

/// HMAC-SHA-256 (RFC 2104) with its secret in place, made ready once and then used by one thread at a time.
@safe final class PreparedTokenDigest: @unchecked Sendable {
    // SAFETY: leased to one caller at a time by `TokenDigestKey`, which takes it from its list under a lock and puts it back after use.
    // The template there is only copied, and copying reads.
    private let context: MACContext

    /// Nil if the library failed.
    init?(secret: Span<UInt8>) {
        guard let context = MACContext(), Self.begin(context, secret: secret) else { return nil }
        self.context = context
    }

    /// Another of the same secret; nil if the library failed.
    init?(copying other: PreparedTokenDigest) {
        guard let context = MACContext(copying: other.context) else { return nil }
        self.context = context
    }

    private static func begin(_ context: borrowing MACContext, secret: Span<UInt8>) -> Bool {
        let context = unsafe context.pointer
        var name = Array("SHA2-256".utf8CString)
        return unsafe name.withUnsafeMutableBufferPointer { name in
            var parameters = unsafe [
                OSSL_PARAM_construct_utf8_string(bearward_parameter_mac_digest(), name.baseAddress, 0), OSSL_PARAM_construct_end(),
            ]
            return unsafe parameters.withUnsafeMutableBufferPointer { parameters in
                unsafe secret.withUnsafeBufferPointer { secret in
                    unsafe EVP_MAC_init(context, secret.baseAddress, secret.count, parameters.baseAddress) == 1
                }
            }
        }
    }

    /// The digest of all the bytes; nil if the library failed, after which this context is not to be used again.
    func digest(of bytes: Span<UInt8>) -> TokenDigest? {
        var words = InlineArray<4, UInt64>(repeating: 0)
        var output = words.mutableSpan
        let isDone = unsafe output.withUnsafeMutableBytes { output in
            unsafe bytes.withUnsafeBufferPointer { input in
                // Without a secret the context is begun anew in place, with the one it has.
                unsafe EVP_MAC_init(context.pointer, nil, 0, nil) == 1
                    && EVP_MAC_update(context.pointer, input.baseAddress, input.count) == 1
                    && EVP_MAC_final(context.pointer, output.baseAddress, nil, output.count) == 1
            }
        }
        return isDone ? TokenDigest(words: words) : nil
    }

    /// Whether a context can be begun anew: the first releases of OpenSSL 3 said so and went on from the old state, and one token would
    /// have got a new digest each time.
    func givesEqualDigestsTwice() -> Bool {
        let probe: InlineArray<3, UInt8> = [1, 2, 3]
        guard let first = digest(of: probe.span), let second = digest(of: probe.span) else { return false }
        return first == second
    }
}
