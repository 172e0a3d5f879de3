#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

// Swift does not import these macros.
static const int lifesignal_public_key = EVP_PKEY_PUBLIC_KEY;
static const int lifesignal_key_pair = EVP_PKEY_KEYPAIR;
