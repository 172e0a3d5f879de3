import CTurboJPEG

enum JPEGCodec {
    /// If the file is incomplete, `isWhole` is false, and the library has filled the missing part
    /// with grey.
    struct Decoded {
        var bitmap: Bitmap
        var isWhole: Bool
    }

    /// Decodes the pixels in grey or RGB. Doesn't apply the orientation.
    ///
    /// - Parameter gray: True to discard the colours.
    /// - Throws: `damaged` if nothing can be decoded; `tooManyPixels`.
    static func decode(_ bytes: [UInt8], gray: Bool, header: JPEGHeader) throws(QRCodeError)
        -> Decoded
    {
        guard let handle = tjInitDecompress() else { throw .damaged }
        defer { tjDestroy(handle) }
        var (width, height, subsampling, space) = (Int32(0), Int32(0), Int32(0), Int32(-1))
        // Ignores the result. The function reports an error for an unusual subsampling, although
        // the picture decodes correctly.
        _ = tjDecompressHeader3(
            handle, bytes, UInt(bytes.count), &width, &height, &subsampling, &space)
        guard width > 0, height > 0, space >= 0 else { throw .damaged }
        try PictureLimit.check(width: Int(width), height: Int(height))

        let isCMYK = space == Int32(TJCS_CMYK.rawValue) || space == Int32(TJCS_YCCK.rawValue)
        let isGray = gray || space == Int32(TJCS_GRAY.rawValue)
        let format = isCMYK ? TJPF_CMYK : isGray ? TJPF_GRAY : TJPF_RGB
        let channels = isCMYK ? 4 : isGray ? 1 : 3
        var samples = [UInt8](repeating: 128, count: Int(width) * Int(height) * channels)
        // Passes the width and height, so that the library stays within the buffer even for a file
        // with a second header.
        let result = tjDecompress2(
            handle, bytes, UInt(bytes.count), &samples, width, 0, height, Int32(format.rawValue),
            TJFLAG_LIMITSCANS
        )
        let isWhole = result == 0
        guard isWhole || tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) else {
            throw .damaged
        }
        if isCMYK { samples = withoutBlack(samples, gray: gray, isAdobe: header.isAdobe) }
        let bitmap = Bitmap(
            width: Int(width), height: Int(height), channels: isGray ? 1 : 3, samples: samples
        )
        return Decoded(bitmap: bitmap, isWhole: isWhole)
    }

    private static func withoutBlack(_ inks: [UInt8], gray: Bool, isAdobe: Bool) -> [UInt8] {
        let flip: UInt8 = isAdobe ? 0 : 255
        let size = inks.count / 4 * (gray ? 1 : 3)
        return [UInt8](unsafeUninitializedCapacity: size) { target, count in
            inks.withUnsafeBufferPointer { inks in
                for pixel in 0..<inks.count / 4 {
                    let white = Int(inks[4 * pixel + 3] ^ flip)
                    let red = Int(inks[4 * pixel] ^ flip) * white / 255
                    let green = Int(inks[4 * pixel + 1] ^ flip) * white / 255
                    let blue = Int(inks[4 * pixel + 2] ^ flip) * white / 255
                    if gray {
                        target[pixel] = UInt8(
                            truncatingIfNeeded: (77 * red + 150 * green + 29 * blue) >> 8)
                    } else {
                        target[3 * pixel] = UInt8(truncatingIfNeeded: red)
                        target[3 * pixel + 1] = UInt8(truncatingIfNeeded: green)
                        target[3 * pixel + 2] = UInt8(truncatingIfNeeded: blue)
                    }
                }
            }
            count = size
        }
    }

    /// Encodes a picture with 1 or 3 channels. Returns nil if the library fails.
    static func encode(_ bitmap: Bitmap, quality: Int) -> [UInt8]? {
        guard let handle = tjInitCompress() else { return nil }
        defer { tjDestroy(handle) }
        let isGray = bitmap.channels == 1
        var buffer: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(buffer) }
        let result = tjCompress2(
            handle, bitmap.samples, Int32(bitmap.width), 0, Int32(bitmap.height),
            Int32((isGray ? TJPF_GRAY : TJPF_RGB).rawValue), &buffer, &size,
            Int32((isGray ? TJSAMP_GRAY : TJSAMP_420).rawValue), Int32(quality), 0
        )
        guard result == 0, let buffer else { return nil }
        return Array(UnsafeBufferPointer(start: buffer, count: Int(size)))
    }
}
