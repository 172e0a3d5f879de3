import CZlib
import HTTPTypes

/// Compresses public files, each only once. Private content must stay uncompressed, because its
/// compressed length would reveal something about the content.
enum Gzip {
    /// Returns the compressed bytes. Returns nil if they aren't smaller, as for most pictures.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        let sizeOfStream = Int32(MemoryLayout<z_stream>.size)
        // Adding 16 to the window bits selects the gzip format.
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
                Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeOfStream) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let output = input.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: input.count) { output, count in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                count =
                    deflate(&stream, Z_FINISH) == Z_STREAM_END
                    ? output.count - Int(stream.avail_out) : 0
            }
        }
        return output.isEmpty ? nil : output
    }

    static func isAccepted(_ headers: HTTPFields) -> Bool {
        let offers = (headers[.acceptEncoding] ?? "").lowercased().split(separator: ",").map {
            offer in
            offer.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
        }
        guard
            let offer = offers.first(where: { $0.first == "gzip" })
                ?? offers.first(where: { $0.first == "*" })
        else { return false }
        // A weight of 0 rejects gzip.
        return !offer.dropFirst().contains { $0.firstMatch(of: #/^q=0(\.0*)?$/#) != nil }
    }
}
