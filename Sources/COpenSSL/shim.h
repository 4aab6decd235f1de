#ifndef BEARWARD_COPENSSL_SHIM_H
#define BEARWARD_COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <stdint.h>

// Parameter names are macros, and a parameter keeps the pointer: Swift needs them as pointers that live for ever.
static inline const char *bearward_parameter_rsa_modulus(void) { return OSSL_PKEY_PARAM_RSA_N; }
static inline const char *bearward_parameter_rsa_exponent(void) { return OSSL_PKEY_PARAM_RSA_E; }
static inline const char *bearward_parameter_x(void) { return OSSL_PKEY_PARAM_EC_PUB_X; }
static inline const char *bearward_parameter_y(void) { return OSSL_PKEY_PARAM_EC_PUB_Y; }
static inline const char *bearward_parameter_is_explicit(void) { return OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS; }
static inline const char *bearward_parameter_group_name(void) { return OSSL_PKEY_PARAM_GROUP_NAME; }
static inline const char *bearward_parameter_public_key(void) { return OSSL_PKEY_PARAM_PUB_KEY; }

// A macro too deep for the importer.
static inline int bearward_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

// SHA-256 whose state is a plain value: nothing is allocated, fetched or locked for a digest, which costs a fifth less than the same through
// EVP for a token of ordinary length. OpenSSL calls these functions deprecated but keeps them; only their users are to be few, so they are
// named here and nowhere else.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// A state that has taken in one whole block of 64 bytes; 1 if it has.
static inline int bearward_sha256_begin(SHA256_CTX *state, const uint8_t *block) {
    return SHA256_Init(state) == 1 && SHA256_Update(state, block, SHA256_CBLOCK) == 1;
}

// The digest of what `begun` has taken in followed by these bytes; 1 if done. `begun` is a copy, and the library wipes what is in it of them.
static inline int bearward_sha256_finish(SHA256_CTX begun, const uint8_t *bytes, size_t count, uint8_t *digest) {
    return SHA256_Update(&begun, bytes, count) == 1 && SHA256_Final(digest, &begun) == 1;
}

// Computes multiples of a group's generator, so that later multiplications of it take a fraction; 1 if libcrypto keeps them. No other
// function makes libcrypto keep multiples of a point.
static inline int bearward_precompute_generator(EC_GROUP *group) {
#ifdef OPENSSL_NO_DEPRECATED_3_0
    (void)group;
    return 0;
#else
    return EC_GROUP_precompute_mult(group, NULL) == 1 && EC_GROUP_have_precompute_mult(group) == 1;
#endif
}

// A point's X and Z, with which its x is X/Z²; 1 if done. An inversion takes a tenth of a verification, and only this function leaves it out.
static inline int bearward_jacobian_coordinates(const EC_GROUP *group, const EC_POINT *point, BIGNUM *x, BIGNUM *z, BN_CTX *context) {
#ifdef OPENSSL_NO_DEPRECATED_3_0
    (void)group, (void)point, (void)x, (void)z, (void)context;
    return 0;
#else
    return EC_POINT_get_Jprojective_coordinates_GFp(group, point, x, NULL, z, context);
#endif
}

#pragma GCC diagnostic pop

#endif
