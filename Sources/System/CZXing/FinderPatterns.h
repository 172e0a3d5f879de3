#pragma once
#include <cstdint>

/// True if the picture (0 dark, 255 light) has more than `limit` places that look like the corner
/// of a QR code. ZXing tries every three of them: 2,500 in a made-up picture would keep it busy for
/// more than a minute.
bool has_more_finder_patterns(const uint8_t *pixels, int width, int height, int limit);
