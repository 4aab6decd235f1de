/// Certificates of a trust anchor used only in these tests; valid from 2020 to 2119 unless noted otherwise.
public enum SampleCertificates {
    /// Content of the operator's `ca_file`.
    public static let trustAnchor = """
        -----BEGIN CERTIFICATE-----
        MIIBazCCARGgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFUZXN0IHRy
        dXN0IGFuY2hvcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
        MBgGA1UEAwwRVGVzdCB0cnVzdCBhbmNob3IwWTATBgcqhkjOPQIBBggqhkjOPQMB
        BwNCAAQXXkM8mwt3ZYpbKhCDtm8ZsQffrHSfzEQKx75giF0YXF9AmLV9KSxfXsFH
        aBBk6vJCIEZCXy4TWXesao/fOlHco0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1Ud
        DwEB/wQEAwICBDAdBgNVHQ4EFgQU6KODkAC+9SBZO4MpxuXSKn7StqAwCgYIKoZI
        zj0EAwIDSAAwRQIhAIqC30f3AMTekFnK+kgiz2jAfVXUm4jNyWD/T5OhSCaAAiB3
        +qi/1rgwsEo0dtY8YFFxbTZwOSR/J7M3ZK62RvIppg==
        -----END CERTIFICATE-----
        """

    /// Certificate for `localhost` and 127.0.0.1.
    public static let localhost = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAUCgAwIBAgIBAjAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFUZXN0IHRy
        dXN0IGFuY2hvcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowDzEN
        MAsGA1UEAwwEZ29vZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMFnZ3OfI46w
        rBYic6UsPFoL50u4hJ0BIYEM9zkwOjHLDGSpDvK1VJqA4Fh9N1ZTuY48OVYeTFpN
        wbhUoZTevEijfjB8MAkGA1UdEwQCMAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGgYD
        VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBSg3j3f4LhjYmkxWcxO
        qjI83v785zAfBgNVHSMEGDAWgBToo4OQAL71IFk7gynG5dIqftK2oDAKBggqhkjO
        PQQDAgNIADBFAiEAlm6ydqC0IOaNaHZm564vAcZFludM/w0iE2P8YOFONI0CIHZR
        3739kIKUSV7fSmXBZ0eEyIuU8FFxWNiUIOY7CGze
        -----END CERTIFICATE-----
        """

    /// Certificate for `other.example`.
    public static let otherHost = """
        -----BEGIN CERTIFICATE-----
        MIIBlzCCAT6gAwIBAgIBAzAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFUZXN0IHRy
        dXN0IGFuY2hvcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowDzEN
        MAsGA1UEAwwEZ29vZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMFnZ3OfI46w
        rBYic6UsPFoL50u4hJ0BIYEM9zkwOjHLDGSpDvK1VJqA4Fh9N1ZTuY48OVYeTFpN
        wbhUoZTevEijfDB6MAkGA1UdEwQCMAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGAYD
        VR0RBBEwD4INb3RoZXIuZXhhbXBsZTAdBgNVHQ4EFgQUoN493+C4Y2JpMVnMTqoy
        PN7+/OcwHwYDVR0jBBgwFoAU6KODkAC+9SBZO4MpxuXSKn7StqAwCgYIKoZIzj0E
        AwIDRwAwRAIgSyDR3BAFvKPUxddExX0uBqkq+5FU9fUqZAuxj34nMNMCIBTlPgcI
        g6BiEjuxv6KN7VFyqkv+2ME8Ng9Lf607qug1
        -----END CERTIFICATE-----
        """

    /// Certificate for `localhost` and 127.0.0.1 that expired in January 2020.
    public static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBlzCCAT6gAwIBAgIBBDAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFUZXN0IHRy
        dXN0IGFuY2hvcjAeFw0yMDAxMDEwMDAwMDBaFw0yMDAxMDIwMDAwMDBaMA8xDTAL
        BgNVBAMMBGdvb2QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATBZ2dznyOOsKwW
        InOlLDxaC+dLuISdASGBDPc5MDoxywxkqQ7ytVSagOBYfTdWU7mOPDlWHkxaTcG4
        VKGU3rxIo34wfDAJBgNVHRMEAjAAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMBoGA1Ud
        EQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUoN493+C4Y2JpMVnMTqoy
        PN7+/OcwHwYDVR0jBBgwFoAU6KODkAC+9SBZO4MpxuXSKn7StqAwCgYIKoZIzj0E
        AwIDRwAwRAIhAOHPgAvgyTXbnHYlpVD0eiMhbNaSQ5t+ryPgEn7RNOc4Ah9WAsMX
        xrA+j+zvJzm8zyv5tTBxlPulcOlgTGigvjPS
        -----END CERTIFICATE-----
        """

    /// Private key of all these certificates.
    public static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfQAjwUrUFAmN2hXI
        GR8uOTlpLYeLrsor9nMaMS3cqsahRANCAATBZ2dznyOOsKwWInOlLDxaC+dLuISd
        ASGBDPc5MDoxywxkqQ7ytVSagOBYfTdWU7mOPDlWHkxaTcG4VKGU3rxI
        -----END PRIVATE KEY-----
        """
}
