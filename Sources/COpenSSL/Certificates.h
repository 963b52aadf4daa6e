/* What the test servers need of OpenSSL's macros and variadic functions: making keys and certificates, and serving. */
#ifndef COPENSSL_CERTIFICATES_H
#define COPENSSL_CERTIFICATES_H

#include "COpenSSL.h"
#include <openssl/rand.h>

/* A new key; NULL when it cannot be made. `curve` is "P-256" and the like. */
static inline EVP_PKEY *copenssl_generate_ec(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *copenssl_generate_rsa(unsigned bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *copenssl_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

/* Adds an extension in the notation of openssl.cnf; `issuer` is where a key identifier comes from. */
static inline int copenssl_add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509V3_set_ctx_nodb(&context);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    if (!extension) return 0;
    int done = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return done;
}

/* Adds an extension whose value is given as DER. */
static inline int copenssl_add_raw_extension(
    X509 *certificate, ASN1_OBJECT *kind, int critical, const unsigned char *value, int length) {
    ASN1_OCTET_STRING *octets = ASN1_OCTET_STRING_new();
    if (!octets) return 0;
    X509_EXTENSION *extension = NULL;
    int done = ASN1_OCTET_STRING_set(octets, value, length)
        && (extension = X509_EXTENSION_create_by_OBJ(NULL, kind, critical, octets))
        && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    ASN1_OCTET_STRING_free(octets);
    return done;
}

/* Adds a common name of octets of any value. */
static inline int copenssl_add_common_name(X509_NAME *name, const unsigned char *octets, int length) {
    return X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, octets, length, -1, 0);
}

/* Prints `CN = …, O = …`; 1 when that was done. */
static inline int copenssl_print_name(BIO *output, const X509_NAME *name) {
    return X509_NAME_print_ex(output, name, 0, XN_FLAG_ONELINE) > 0;
}

static inline int copenssl_set_least_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}
static inline int copenssl_set_greatest_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}
/* The context takes a reference of its own. */
static inline int copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate);
}
static inline void copenssl_set_server_cache(SSL_CTX *context, int isUsed) {
    SSL_CTX_set_session_cache_mode(context, isUsed ? SSL_SESS_CACHE_SERVER : SSL_SESS_CACHE_OFF);
}
static inline void copenssl_forbid_tickets(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
}
static inline void copenssl_choose_dh_groups(SSL_CTX *context) { SSL_CTX_set_dh_auto(context, 1); }

#endif
