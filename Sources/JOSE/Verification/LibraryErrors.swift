import COpenSSL

/// Access to libcrypto's error queue of the calling thread.
enum LibraryErrors {
    /// Empties the queue. True if one of the errors means that the library failed, not that the input was invalid.
    ///
    /// An invalid signature leaves errors of the RSA, EC, ASN.1 and provider code, which describe the signature. Fatal
    /// errors (no memory, internal error) describe the library, and so do errors of the layers that find algorithms and
    /// run operations.
    static func drain() -> Bool {
        var meansFailure = false
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return meansFailure }
            if describesLibrary(code) { meansFailure = true }
        }
    }

    static func clear() {
        ERR_clear_error()
    }

    static var isEmpty: Bool {
        ERR_peek_error() == 0
    }

    static func describesLibrary(_ code: UInt) -> Bool {
        if ERR_FATAL_ERROR(code) != 0 { return true }
        switch ERR_GET_LIB(code) {
        case ERR_LIB_EVP, ERR_LIB_CRYPTO, ERR_LIB_SYS, ERR_LIB_RAND: return true
        default: return false
        }
    }

    /// Verdict for the return value of a signature check. Empties the error queue.
    static func verdict(result: Int32) -> SignatureVerdict {
        if result == 1 {
            clear()
            return .valid
        }
        let isSilentError = result < 0 && isEmpty
        return drain() || isSilentError ? .unavailable : .invalid
    }
}
