import CZlib
import HTTPTypes

/// Compression of what is the same for everybody, done once. What is somebody's own is never
/// compressed, as its length would tell of its content.
enum Gzip {
    /// Nil for what would not become smaller, such as a picture.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        let sizeOfStream = Int32(MemoryLayout<z_stream>.size)
        // 16 more bits of window stand for gzip's own head and tail.
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

    /// True if the client accepts gzip, by its Accept-Encoding.
    static func isAccepted(_ headers: HTTPFields) -> Bool {
        let offers = (headers[.acceptEncoding] ?? "").lowercased().split(separator: ",").map {
            offer in
            offer.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
        }
        guard
            let offer = offers.first(where: { $0.first == "gzip" })
                ?? offers.first(where: { $0.first == "*" })
        else { return false }
        // A weight of nothing is a refusal.
        return !offer.dropFirst().contains { $0.firstMatch(of: #/^q=0(\.0*)?$/#) != nil }
    }
}
