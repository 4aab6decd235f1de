import COpenSSL

/// libcrypto's error queue of the calling thread.
enum LibraryErrors {
    /// Takes every error out of the queue and says whether one of them means that the library failed, rather than that
    /// the input was bad.
    ///
    /// A refused signature leaves errors of the RSA, EC, ASN.1 and provider code that describe the signature. Fatal
    /// ones (no memory, internal error) and those of the layers that find algorithms and run operations describe the
    /// library.
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

    /// Verdict for the return value of a failed or passed check; empties the error queue.
    static func verdict(result: Int32) -> SignatureVerdict {
        if result == 1 {
            clear()
            return .valid
        }
        let isSilentError = result < 0 && isEmpty
        return drain() || isSilentError ? .unavailable : .invalid
    }
}
