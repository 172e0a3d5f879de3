import CZBar
import CZXing

/// A second reader, for codes that zxing-cpp misses, mostly on bent paper. Of the ten bent pictures
/// in the tests, zxing-cpp reads three, and both readers together read nine.
///
/// Each call creates its own scanner, so that several threads can read at once. zbar tries at most
/// 8,192 combinations of three corners, or one for every 512 pixels if that is more.
enum ZBarReader {
    /// "Y800": grey, one byte per pixel.
    private static let grey: UInt = 0x3030_3859

    static func text(in picture: GrayPicture) -> String? {
        guard let scanner = zbar_image_scanner_create() else { return nil }
        defer { zbar_image_scanner_destroy(scanner) }
        guard let image = zbar_image_create() else { return nil }
        defer { zbar_image_destroy(image) }
        // Disables all kinds of codes (ZBAR_NONE), and then enables only QR codes. The decoders of
        // other kinds have had vulnerabilities.
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        // Without this option, zbar guesses the encoding, and mistakes short UTF-8 for Shift JIS.
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
        zbar_image_set_format(image, grey)
        zbar_image_set_size(image, UInt32(picture.width), UInt32(picture.height))
        return picture.pixels.withUnsafeBytes { pixels in
            zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
            guard zbar_scan_image(scanner, image) > 0, let symbol = zbar_image_first_symbol(image),
                let data = zbar_symbol_get_data(symbol)
            else { return nil }
            let bytes = UnsafeRawBufferPointer(
                start: data, count: Int(zbar_symbol_get_data_length(symbol)))
            return String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
    }
}
