import CQRencode
import Domain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes and decodes QR codes. All functions are thread-safe, but block their thread. Callers
/// keep them off event loops and limit how many run at once.
public enum QRCode {
    /// Encodes a text as UTF-8 in 8-bit mode. Uses the smallest version that fits, with error
    /// correction level M, which tolerates a loss of 15 %.
    ///
    /// - Parameters:
    ///   - scale: Pixels per module, from 1 to 64.
    ///   - quietZone: The white border in modules, from 0 to 32. Readers expect 4.
    /// - Throws: `emptyText`, `textTooLong`; `encodingFailed` if memory runs out.
    public static func encode(_ text: String, scale: Int = 8, quietZone: Int = 4)
        throws(QRCodeError) -> QRCodeImage
    {
        let bytes = [UInt8](text.utf8)
        guard !bytes.isEmpty else { throw .emptyText }
        guard bytes.count <= maximumByteCount else { throw .textTooLong }
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            throw .encodingFailed
        }
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        guard let data = code.pointee.data else { throw .encodingFailed }
        // The lowest bit of a module is its colour. The other bits describe its purpose.
        let modules = (0..<side * side).map { data[$0] & 1 == 1 }
        let png = try picture(
            of: modules, side: side, scale: min(max(scale, 1), 64),
            quietZone: min(max(quietZone, 0), 32)
        )
        return QRCodeImage(png: png, side: side, modules: modules)
    }

    /// The capacity of version 40 at error correction level M, in bytes.
    private static let maximumByteCount = 2331

    private static func picture(
        of modules: [Bool], side: Int, scale: Int, quietZone: Int
    ) throws(QRCodeError) -> Data {
        let width = (side + 2 * quietZone) * scale
        var pixels = [UInt8](repeating: 1, count: width * width)
        pixels.withUnsafeMutableBufferPointer { pixels in
            for row in 0..<side {
                let top = (row + quietZone) * scale
                for column in 0..<side where modules[row * side + column] {
                    let left = (column + quietZone) * scale
                    for line in top..<top + scale {
                        pixels[line * width + left..<line * width + left + scale].update(
                            repeating: 0)
                    }
                }
            }
        }
        guard let png = PNGCodec.encodeBlackAndWhite(pixels, width: width, height: width) else {
            throw .encodingFailed
        }
        return Data(png)
    }
}
