#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Picture {
    /// Scales the picture down to at most `side` pixels a side, rotates it upright, and strips all
    /// metadata. A PNG stays a PNG, and a JPEG stays a JPEG. Blocks for up to a few seconds for 40
    /// megapixels.
    ///
    /// - Throws: `notAPicture`; `tooLarge` over 40 MB or 64 scans; `tooManyPixels` over 40
    ///   megapixels or 12,000 pixels a side; `damaged`; `encodingFailed`.
    public static func fitting(_ picture: Data, side: Int) throws(QRCodeError) -> Data {
        guard let format = PictureFormat(sniffing: picture) else { throw .notAPicture }
        // The limit is higher than for an upload, because a camera's picture is large before it is
        // scaled.
        guard picture.count <= 8 * maximumByteCount else { throw .tooLarge }
        let bytes = [UInt8](picture)
        let encoded: [UInt8]?
        switch format {
        case .png:
            encoded = PNGCodec.encode(
                try PNGCodec.decode(bytes).fitting(side)
                    .oriented(PNGChunks.orientation(of: bytes)), limit: maximumByteCount)
        case .jpeg:
            let header = try JPEGHeader(bytes)
            let decoded = try JPEGCodec.decode(bytes, gray: false, header: header)
            guard decoded.isWhole else { throw .damaged }
            encoded = JPEGCodec.encode(
                decoded.bitmap.fitting(side).oriented(header.orientation), quality: 90)
        }
        guard let encoded else { throw .encodingFailed }
        return Data(encoded)
    }
}

extension Bitmap {
    /// Scales the picture down to at most `side` pixels a side. Each new pixel is the mean of the
    /// old pixels that it covers, weighted by area and opacity.
    func fitting(_ side: Int) -> Bitmap {
        let longest = max(width, height)
        guard longest > side, side > 0 else { return self }
        let newWidth = max(1, (width * side + longest / 2) / longest)
        let newHeight = max(1, (height * side + longest / 2) / longest)
        let columns = Self.spans(of: width, over: newWidth)
        let rows = Self.spans(of: height, over: newHeight)
        let hasAlpha = channels == 2 || channels == 4
        let colours = hasAlpha ? channels - 1 : channels
        let scaled = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight * channels) {
            target, count in
            samples.withUnsafeBufferPointer { source in
                var at = 0
                var sums = [Int](repeating: 0, count: channels)
                for row in rows {
                    for column in columns {
                        for channel in 0..<channels { sums[channel] = 0 }
                        var (weight, opaque) = (0, 0)
                        for (y, high) in row {
                            for (x, wide) in column {
                                let from = (y * width + x) * channels
                                let share = high * wide
                                let opacity = hasAlpha ? share * Int(source[from + colours]) : share
                                weight += share
                                opaque += opacity
                                for channel in 0..<colours {
                                    sums[channel] += opacity * Int(source[from + channel])
                                }
                            }
                        }
                        for channel in 0..<colours {
                            target[at + channel] = UInt8(
                                clamping: opaque == 0 ? 0 : (sums[channel] + opaque / 2) / opaque)
                        }
                        if hasAlpha {
                            target[at + colours] = UInt8(clamping: (opaque + weight / 2) / weight)
                        }
                        at += channels
                    }
                }
            }
            count = newWidth * newHeight * channels
        }
        return Bitmap(width: newWidth, height: newHeight, channels: channels, samples: scaled)
    }

    /// Returns the old pixels that each new pixel covers, with their shares in units of 1 / `new`.
    private static func spans(of old: Int, over new: Int) -> [[(index: Int, share: Int)]] {
        (0..<new).map { position in
            let (start, end) = (position * old, (position + 1) * old)
            return (start / new...(end - 1) / new).map { index in
                (index, min(end, (index + 1) * new) - max(start, index * new))
            }
        }
    }
}
