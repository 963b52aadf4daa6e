/* zlib as Swift sees it, with functions for the macros that start an inflater and a deflater. */
#ifndef CZLIB_H
#define CZLIB_H

/* Without the functions on files, whose headers would make types of the system part of this module. */
#define Z_SOLO
#include <zlib.h>

/* inflateInit2 is a macro; `window_bits` as zlib defines it. */
static inline int czlib_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

/* The same for deflateInit2, with zlib's own level and memory. */
static inline int czlib_deflate_init(z_stream *stream, int window_bits) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
