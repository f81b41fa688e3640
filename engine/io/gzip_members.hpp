// gzip's files may stand one behind the other, and are read as one (RFC 1952, 2.2): bgzip and pigz write such, and so does cat.
#pragma once

#include <zlib.h>

namespace parallax::io {

/// Of a stream that has come to the end of a member, with all that is left of the input, or two bytes of it: whether another
/// member begins there, for which the stream is then ready. What else stands there is none of gzip's, and passed over as gzip
/// does.
inline bool begin_next_member(z_stream& stream) {
    return stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b && inflateReset(&stream) == Z_OK;
}

}   // namespace parallax::io
