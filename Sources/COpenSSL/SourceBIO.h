/* A BIO that lends octets out of the caller's memory: OpenSSL reads records where they were received. */
#ifndef COPENSSL_SOURCE_BIO_H
#define COPENSSL_SOURCE_BIO_H

#include "COpenSSL.h"

#endif
