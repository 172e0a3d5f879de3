#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

// Swift does not import these macros.
static const int lifesignal_public_key = EVP_PKEY_PUBLIC_KEY;
static const int lifesignal_key_pair = EVP_PKEY_KEYPAIR;

// Returns an RSA public key; NULL if libcrypto refuses the numbers.
static inline EVP_PKEY *lifesignal_rsa_key(const unsigned char *modulus, size_t modulus_length,
                                           const unsigned char *exponent,
                                           size_t exponent_length) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_length, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_length, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (n && e && builder && context && OSSL_PARAM_BLD_push_BN(builder, "n", n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, "e", e) == 1 &&
        (parameters = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    OSSL_PARAM_free(parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_BLD_free(builder);
    BN_free(e);
    BN_free(n);
    return key;
}
