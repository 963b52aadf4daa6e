/* OpenSSL 3 as Swift sees it. Swift imports no function-like macro: those that are needed get a wrapper here. */
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#endif
