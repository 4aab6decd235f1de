import COpenSSL

/// One of libcrypto's numbers. The ``NumberSpace`` that it comes from owns it.
@safe struct Number {
    let pointer: OpaquePointer
}

/// Owner of numbers, and of the intermediate values of libcrypto's functions. For one thread at a time.
@safe final class NumberSpace {
    let context: OpaquePointer

    /// Nil if there is no memory.
    init?() {
        guard let made = unsafe BN_CTX_new() else { return nil }
        unsafe context = made
        unsafe BN_CTX_start(context)
    }

    deinit {
        unsafe BN_CTX_end(context)
        unsafe BN_CTX_free(context)
    }

    /// A new number, zero, which lives as long as this object. Nil if there is no memory.
    func number() -> Number? {
        guard let made = unsafe BN_CTX_get(context) else { return nil }
        return unsafe Number(pointer: made)
    }
}
