/* What making certificates needs of OpenSSL's macros. */
#ifndef COPENSSL_CERTIFICATES_H
#define COPENSSL_CERTIFICATES_H

#include "COpenSSL.h"

#endif
