import CPNG

/// Decodes and encodes PNG with libpng's simplified interface, which needs no `longjmp`.
enum PNGCodec {
    /// Decodes the pixels in grey. Transparent pixels become white.
    ///
    /// - Throws: `damaged`, `tooManyPixels`.
    static func decodeGray(_ bytes: [UInt8]) throws(QRCodeError) -> Bitmap {
        try decode(bytes) { _ in 0 }
    }

    /// Decodes the pixels with the channels that the picture uses.
    ///
    /// - Throws: `damaged`, `tooManyPixels`.
    static func decode(_ bytes: [UInt8]) throws(QRCodeError) -> Bitmap {
        try decode(bytes) { $0 & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA) }
    }

    private static func decode(
        _ bytes: [UInt8], as format: (UInt32) -> UInt32
    ) throws(QRCodeError) -> Bitmap {
        let essential = try PNGChunks.essential(of: bytes)
        return try essential.withUnsafeBufferPointer { (source) throws(QRCodeError) in
            var image = png_image()
            image.version = UInt32(PNG_IMAGE_VERSION)
            defer { png_image_free(&image) }
            guard png_image_begin_read_from_memory(&image, source.baseAddress, source.count) != 0
            else {
                throw .damaged
            }
            try PictureLimit.check(width: Int(image.width), height: Int(image.height))
            image.format = format(image.format)
            image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
            let width = Int(image.width)
            let height = Int(image.height)
            let channels = channels(of: image.format)
            var samples = [UInt8](repeating: 0, count: width * height * channels)
            var white = png_color(red: 255, green: 255, blue: 255)
            guard png_image_finish_read(&image, &white, &samples, Int32(width * channels), nil) != 0
            else {
                throw .damaged
            }
            return Bitmap(width: width, height: height, channels: channels, samples: samples)
        }
    }

    private static func channels(of format: UInt32) -> Int {
        (format & PNG_FORMAT_FLAG_COLOR != 0 ? 3 : 1)
            + (format & PNG_FORMAT_FLAG_ALPHA != 0 ? 1 : 0)
    }

    /// Encodes a picture. Returns nil if the PNG has more than `limit` bytes.
    static func encode(_ bitmap: Bitmap, limit: Int) -> [UInt8]? {
        var format: UInt32 = bitmap.channels >= 3 ? PNG_FORMAT_FLAG_COLOR : 0
        if bitmap.channels.isMultiple(of: 2) { format |= PNG_FORMAT_FLAG_ALPHA }
        return encode(bitmap, as: Layout(format: format), limit: limit)
    }

    /// Encodes pixels that are 0 (black) or 1 (white), with one bit per pixel.
    static func encodeBlackAndWhite(_ pixels: [UInt8], width: Int, height: Int) -> [UInt8]? {
        encode(
            Bitmap(width: width, height: height, channels: 1, samples: pixels),
            as: Layout(
                format: PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_COLORMAP,
                colours: [0, 0, 0, 255, 255, 255]),
            limit: pixels.count + 4096
        )
    }

    private struct Layout {
        var format: UInt32
        /// The palette, with three bytes for each sample value. `nil` if the samples are colours
        /// themselves.
        var colours: [UInt8]?
    }

    private static func encode(_ bitmap: Bitmap, as layout: Layout, limit: Int) -> [UInt8]? {
        let colours = layout.colours
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        image.width = UInt32(bitmap.width)
        image.height = UInt32(bitmap.height)
        image.format = layout.format
        image.colormap_entries = UInt32((colours?.count ?? 0) / 3)
        // Disables filters and uses light compression. Costs few bytes for a black-and-white
        // picture, but would cost many for a photograph.
        if colours != nil { image.flags = UInt32(PNG_IMAGE_FLAG_FAST) }
        defer { png_image_free(&image) }
        var isWritten = false
        let png = [UInt8](unsafeUninitializedCapacity: limit) { target, count in
            var size = png_alloc_size_t(limit)
            isWritten =
                png_image_write_to_memory(
                    &image, target.baseAddress, &size, 0, bitmap.samples, 0, colours) != 0
            count = isWritten ? Int(size) : 0
        }
        return isWritten ? png : nil
    }
}
