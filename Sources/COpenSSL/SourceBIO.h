/* A BIO that lends octets out of the caller's memory: OpenSSL reads records where they were received. */
#ifndef COPENSSL_SOURCE_BIO_H
#define COPENSSL_SOURCE_BIO_H

#include <string.h>
#include "COpenSSL.h"

/* What is lent now. An empty one is not the end: OpenSSL is told to come back. */
typedef struct {
    const unsigned char *octets;
    size_t count;
} copenssl_source;

static int copenssl_source_read(BIO *bio, char *out, int capacity) {
    copenssl_source *source = (copenssl_source *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (source == NULL || source->count == 0 || capacity <= 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t count = source->count < (size_t)capacity ? source->count : (size_t)capacity;
    memcpy(out, source->octets, count);
    source->octets += count;
    source->count -= count;
    return (int)count;
}

static long copenssl_source_ctrl(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static int copenssl_source_create(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

/* The method of such BIOs; made once, NULL without memory. */
static inline BIO_METHOD *copenssl_source_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lent octets");
    if (method == NULL) return NULL;
    BIO_meth_set_read(method, copenssl_source_read);
    BIO_meth_set_ctrl(method, copenssl_source_ctrl);
    BIO_meth_set_create(method, copenssl_source_create);
    return method;
}

/* A BIO that reads from *source, which must outlive it. */
static inline BIO *copenssl_source_new(const BIO_METHOD *method, copenssl_source *source) {
    BIO *bio = BIO_new(method);
    if (bio != NULL) BIO_set_data(bio, source);
    return bio;
}

#endif
