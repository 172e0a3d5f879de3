#define ZX_USE_UTF8
#include "CZXing.h"

#include "FinderPatterns.h"

#include <ZXing/ReadBarcode.h>

#include <cstring>
#include <string>

namespace {

/// A frame full of noise has a few dozen. ZXing's time grows with the third power: some
/// milliseconds for this many.
constexpr int most_finder_patterns = 150;

bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/// How many bytes follow the first of a UTF-8 character; -1 when none begins like that.
int following_bytes(uint8_t first) {
    if (first < 0x80) return 0;
    if (first < 0xC2) return -1;
    if (first < 0xE0) return 1;
    if (first < 0xF0) return 2;
    return first < 0xF5 ? 3 : -1;
}

/// True if `bytes` are UTF-8 by shape; Swift repairs what is not by value.
bool looks_like_utf8(const ZXing::ByteArray &bytes) {
    for (size_t i = 0; i < bytes.size();) {
        int following = following_bytes(bytes[i++]);
        if (following < 0) return false;
        for (; following > 0; --following, ++i)
            if (i >= bytes.size() || !is_continuation(bytes[i])) return false;
    }
    return true;
}

/// The bytes as they are if they can be UTF-8: without an ECI the library guesses, and takes short
/// UTF-8 for Shift JIS.
std::string text_of(const ZXing::Result &result) {
    const ZXing::ByteArray &bytes = result.bytes();
    if (!result.hasECI() && looks_like_utf8(bytes)) return std::string(bytes.begin(), bytes.end());
    return result.text();
}

/// The pixels are black and white already and the caller shrinks and inverts: nothing is tried
/// behind its back.
ZXing::DecodeHints hints() {
    ZXing::DecodeHints hints;
    hints.setFormats(ZXing::BarcodeFormat::QRCode);
    hints.setTryHarder(true);
    hints.setTryRotate(true);
    hints.setTryDownscale(false);
    hints.setMaxNumberOfSymbols(1);
    hints.setBinarizer(ZXing::Binarizer::FixedThreshold);
    return hints;
}

}  // namespace

extern "C" bool lifesignal_qr_is_busy(const uint8_t *pixels, int32_t width, int32_t height) {
    try {
        return has_more_finder_patterns(pixels, width, height, most_finder_patterns);
    } catch (...) {
        return true;
    }
}

extern "C" lifesignal_qr_result lifesignal_qr_read(
    const uint8_t *pixels, int32_t width, int32_t height, uint8_t *text, size_t capacity,
    size_t *length) {
    try {
        if (lifesignal_qr_is_busy(pixels, width, height))
            return LIFESIGNAL_QR_TOO_BUSY;
        ZXing::Result result =
            ZXing::ReadBarcode({pixels, width, height, ZXing::ImageFormat::Lum}, hints());
        if (!result.isValid()) return LIFESIGNAL_QR_NOT_FOUND;
        std::string found = text_of(result);
        if (found.size() > capacity) return LIFESIGNAL_QR_FAILED;
        std::memcpy(text, found.data(), found.size());
        *length = found.size();
        return LIFESIGNAL_QR_FOUND;
    } catch (...) {
        return LIFESIGNAL_QR_FAILED;
    }
}
