#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    /// `text` and `length` are filled.
    LIFESIGNAL_QR_FOUND = 0,
    LIFESIGNAL_QR_NOT_FOUND = 1,
    /// Too many corner patterns: the search would take minutes, so it was not begun.
    LIFESIGNAL_QR_TOO_BUSY = 2,
    /// The library threw (out of memory), or the text is longer than `capacity`.
    LIFESIGNAL_QR_FAILED = 3,
} lifesignal_qr_result;

/// Looks for one QR code in `width` x `height` pixels, a byte each, rows packed without gaps: dark
/// is 0, light is 255. Writes its text as UTF-8 (not terminated) into `text`, which has room for
/// `capacity` bytes. 16,384 bytes hold whatever a QR code can. Never throws; safe to call from
/// several threads.
lifesignal_qr_result lifesignal_qr_read(
    const uint8_t *pixels, int32_t width, int32_t height, uint8_t *text, size_t capacity,
    size_t *length);

/// True if the picture (0 dark, 255 light) has so many places that look like the corner of a code
/// that any search among them takes long.
bool lifesignal_qr_is_busy(const uint8_t *pixels, int32_t width, int32_t height);

#ifdef __cplusplus
}
#endif
