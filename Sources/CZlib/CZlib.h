/* zlib as Swift sees it, with a function for the macro that starts an inflater. */
#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

/* inflateInit2 is a macro; `window_bits` as zlib defines it. */
static inline int czlib_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
