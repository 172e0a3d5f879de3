#include "FinderPatterns.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace {

/// Dark, light, dark, light, dark along a line, in pixels.
using Runs = int[5];

struct Picture {
    const uint8_t *pixels;
    int width, height;

    bool contains(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
    uint8_t at(int x, int y) const { return pixels[static_cast<ptrdiff_t>(y) * width + x]; }

    /// How many pixels from (x, y) on have its colour, up to the edge of the picture and at most
    /// `most`.
    int run(int x, int y, int dx, int dy, int most) const {
        const uint8_t colour = at(x, y);
        int length = 0;
        for (; length < most && contains(x, y) && at(x, y) == colour; x += dx, y += dy) ++length;
        return length;
    }
};

struct Pattern {
    int x, y, size;
};

int sum(const Runs &runs) { return runs[0] + runs[1] + runs[2] + runs[3] + runs[4]; }

/// Reads the runs through (x, y), which is dark, along a direction; false when they meet the edge
/// or `most`.
bool read_runs(
    const Picture &picture, int x, int y, int dx, int dy, int most, Runs &runs, int &forward) {
    for (int side = -1; side <= 1; side += 2) {
        int reach = 0;
        for (int ring = 0; ring < 3; ++ring) {
            int px = x + side * dx * reach, py = y + side * dy * reach;
            if (reach >= most || !picture.contains(px, py)) return false;
            int length = picture.run(px, py, side * dx, side * dy, most - reach);
            reach += length;
            if (ring > 0) runs[2 + side * ring] = length;
            else if (side < 0) runs[2] = length - 1;
            else runs[2] += forward = length;
        }
    }
    return true;
}

/// 1:1:3:1:1, with a little more tolerance than ZXing has.
bool is_pattern(const Runs &runs) {
    double bar = (runs[0] + runs[2] + runs[4]) / 5.0, space = (runs[1] + runs[3]) / 2.0;
    if (std::max(bar, space) > 4 * std::min(bar, space) + 1) return false;
    auto fits = [](int length, double expected, double module) {
        return std::abs(length - expected) <= module + 1;
    };
    return fits(runs[0], bar, bar) && fits(runs[2], 3 * bar, bar) && fits(runs[4], bar, bar)
        && fits(runs[1], space, space) && fits(runs[3], space, space);
}

/// The pattern around a dark place of a row, checked upright, level and in both diagonals, as ZXing
/// does.
bool locate(const Picture &picture, int x, int y, int width, Pattern &pattern) {
    Runs runs;
    int least = width, most = width;
    const int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (const auto &direction : directions) {
        int forward = 0;
        if (!picture.contains(x, y) || picture.at(x, y) != 0) return false;
        if (!read_runs(picture, x, y, direction[0], direction[1], 3 * width, runs, forward))
            return false;
        if (!is_pattern(runs)) return false;
        least = std::min(least, sum(runs));
        most = std::max(most, sum(runs));
        if (direction[0] * direction[1] != 0) continue;
        x += direction[0] * (forward - 1 - runs[2] / 2);
        y += direction[1] * (forward - 1 - runs[2] / 2);
    }
    pattern = {x, y, (least + most) / 2};
    return most <= 5 * least;
}

bool is_inside(const std::vector<Pattern> &patterns, int x, int y) {
    return std::any_of(patterns.begin(), patterns.end(), [x, y](const Pattern &p) {
        long dx = p.x - x, dy = p.y - y;
        return 4 * (dx * dx + dy * dy) < static_cast<long>(p.size) * p.size;
    });
}

}  // namespace

bool has_more_finder_patterns(const uint8_t *pixels, int width, int height, int limit) {
    Picture picture{pixels, width, height};
    std::vector<Pattern> found;
    for (int y = 2; y < height; y += 3) {
        const uint8_t *row = pixels + static_cast<ptrdiff_t>(y) * width;
        Runs runs = {0, 0, 0, 0, 0};
        for (int x = 0; x < width;) {
            const uint8_t colour = row[x];
            int start = x;
            while (x < width && row[x] == colour) ++x;
            std::copy(runs + 1, runs + 5, runs);
            runs[4] = x - start;
            if (colour != 0 || runs[0] == 0) continue;
            if (runs[2] < 2 * std::max(runs[0], runs[4]) - 1 ||
                runs[2] < std::max(runs[1], runs[3]))
                continue;
            int middle = x - runs[4] - runs[3] - (runs[2] + 1) / 2;
            Pattern pattern;
            if (is_inside(found, middle, y) || !locate(picture, middle, y, sum(runs), pattern))
                continue;
            found.push_back(pattern);
            if (static_cast<int>(found.size()) > limit) return true;
        }
    }
    return false;
}
