#pragma once
#include <openssl/bio.h>
#include <openssl/buffer.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <time.h>

// What is wrong with a certificate and its key.
static const int lifesignal_tls_good = 0;
static const int lifesignal_tls_no_certificate = 1;
static const int lifesignal_tls_no_key = 2;
static const int lifesignal_tls_other_key = 3;
static const int lifesignal_tls_broken_chain = 4;

// Refuses keys with a passphrase. By default, OpenSSL asks for it in the terminal.
static inline int lifesignal_no_passphrase(char *buffer, int size, int writes, void *data) {
    (void)buffer, (void)size, (void)writes, (void)data;
    return -1;
}

// Returns the settings of a server; NULL without memory.
static inline SSL_CTX *lifesignal_tls_context(void) {
    // By default, OpenSSL frees memory at exit that other threads still use.
    OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL);
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context) return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_NO_COMPRESSION);
    // An idle connection needs no buffers.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    // Clients keep their session in a ticket.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return context;
}

// Takes the certificate and those of its issuers from PEM. Stores the expiry in seconds since 1970.
// Returns one of the values above.
static inline int lifesignal_tls_use_chain(SSL_CTX *context, BIO *pem, long long *expiry) {
    struct tm end;
    X509 *own = PEM_read_bio_X509(pem, NULL, lifesignal_no_passphrase, NULL);
    int good = own && ASN1_TIME_to_tm(X509_get0_notAfter(own), &end) == 1 &&
               SSL_CTX_use_certificate(context, own) == 1;
    if (good) *expiry = (long long)timegm(&end);
    X509_free(own);
    if (!good) return lifesignal_tls_no_certificate;
    X509 *issuer;
    while ((issuer = PEM_read_bio_X509(pem, NULL, lifesignal_no_passphrase, NULL))) {
        if (SSL_CTX_add0_chain_cert(context, issuer) == 1) continue;
        X509_free(issuer);
        return lifesignal_tls_broken_chain;
    }
    // Without this error, a certificate is cut, as in a file that is still being written.
    unsigned long last = ERR_peek_last_error();
    return ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE
               ? lifesignal_tls_good
               : lifesignal_tls_broken_chain;
}

// Takes certificate and key from PEM. Returns one of the values above.
static inline int lifesignal_tls_use(SSL_CTX *context, const void *certificate,
                                     int certificate_length, const void *key, int key_length,
                                     long long *expiry) {
    int result = lifesignal_tls_no_certificate;
    BIO *chain = BIO_new_mem_buf(certificate, certificate_length);
    BIO *secret = BIO_new_mem_buf(key, key_length);
    if (chain) result = lifesignal_tls_use_chain(context, chain, expiry);
    if (result == lifesignal_tls_good) {
        EVP_PKEY *own = NULL;
        if (secret) own = PEM_read_bio_PrivateKey(secret, NULL, lifesignal_no_passphrase, NULL);
        if (!own)
            result = lifesignal_tls_no_key;
        else if (SSL_CTX_use_PrivateKey(context, own) != 1 ||
                 SSL_CTX_check_private_key(context) != 1)
            result = lifesignal_tls_other_key;
        else
            result = lifesignal_tls_good;
        EVP_PKEY_free(own);
    }
    BIO_free(secret);
    BIO_free(chain);
    ERR_clear_error();
    return result;
}

// Makes a connection with `incoming` and `outgoing` as its ends, which belong to it. Returns NULL
// without memory.
static inline SSL *lifesignal_tls_connection(SSL_CTX *context, BIO **incoming, BIO **outgoing) {
    SSL *connection = SSL_new(context);
    *incoming = BIO_new(BIO_s_mem());
    *outgoing = BIO_new(BIO_s_mem());
    if (!connection || !*incoming || !*outgoing) {
        SSL_free(connection);
        BIO_free(*incoming);
        BIO_free(*outgoing);
        return NULL;
    }
    SSL_set_bio(connection, *incoming, *outgoing);
    SSL_set_accept_state(connection);
    return connection;
}

// Returns the size of the buffer of a connection's end.
static inline size_t lifesignal_tls_capacity(BIO *end) {
    BUF_MEM *buffer = NULL;
    BIO_get_mem_ptr(end, &buffer);
    return buffer ? buffer->max : 0;
}
