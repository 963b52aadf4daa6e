/* OpenSSL 3 as Swift sees it. Swift imports no function-like macro: those that are needed get a wrapper here. */
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* The client side of TLS. */

/* What every client context has: no compression, no renegotiation, partial writes, sessions handed to the callback. */
static inline void copenssl_set_client_defaults(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(
        context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

static inline int copenssl_set_versions(SSL_CTX *context, int minimum, int maximum) {
    return SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum);
}

static inline int copenssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

/* Lets a store look for issuers in a folder of hash links. */
static inline int copenssl_add_folder(X509_STORE *store, const char *path) {
    X509_LOOKUP *lookup = X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir());
    return lookup != NULL && X509_LOOKUP_add_dir(lookup, path, X509_FILETYPE_PEM) == 1;
}

/* Octets a memory BIO holds; they stay its own. */
static inline size_t copenssl_memory(BIO *bio, const char **octets) {
    long count = BIO_get_mem_data(bio, (char **)octets);
    return count > 0 ? (size_t)count : 0;
}

static inline void copenssl_empty(BIO *bio) { (void)BIO_reset(bio); }

/* Names of a certificate by index; NULL behind the last. */
static inline const GENERAL_NAME *copenssl_name_at(const GENERAL_NAMES *names, int index) {
    return index < sk_GENERAL_NAME_num(names) ? sk_GENERAL_NAME_value(names, index) : NULL;
}

/* The octets of a name of type DNS or IP. */
static inline const ASN1_STRING *copenssl_dns_name(const GENERAL_NAME *name) {
    return name->type == GEN_DNS ? name->d.dNSName : NULL;
}

static inline const ASN1_STRING *copenssl_ip_name(const GENERAL_NAME *name) {
    return name->type == GEN_IPADD ? name->d.iPAddress : NULL;
}

static inline X509 *copenssl_certificate_at(const STACK_OF(X509) * certificates, int index) {
    return index < sk_X509_num(certificates) ? sk_X509_value(certificates, index) : NULL;
}

static inline void copenssl_free_certificates(STACK_OF(X509) * certificates) {
    sk_X509_pop_free(certificates, X509_free);
}

/* A distinguished name on one line, as UTF-8; controls and separators inside of values are escaped. */
static inline void copenssl_print_name_readably(BIO *bio, const X509_NAME *name) {
    X509_NAME_print_ex(bio, name, 0, (XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB & ~XN_FLAG_SPC_EQ));
}

#endif
