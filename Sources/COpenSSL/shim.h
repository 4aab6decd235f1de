#ifndef BEARWARD_COPENSSL_SHIM_H
#define BEARWARD_COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

// Parameter names are macros, and a parameter keeps the pointer: Swift needs them as pointers that live for ever.
static inline const char *bearward_parameter_rsa_modulus(void) { return OSSL_PKEY_PARAM_RSA_N; }
static inline const char *bearward_parameter_rsa_exponent(void) { return OSSL_PKEY_PARAM_RSA_E; }
static inline const char *bearward_parameter_group_name(void) { return OSSL_PKEY_PARAM_GROUP_NAME; }
static inline const char *bearward_parameter_public_key(void) { return OSSL_PKEY_PARAM_PUB_KEY; }
static inline const char *bearward_parameter_mac_digest(void) { return OSSL_MAC_PARAM_DIGEST; }

// A macro too deep for the importer.
static inline int bearward_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

#endif
