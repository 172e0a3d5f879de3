import CZlib

/// Decompresses gzip. Returns nil for invalid gzip.
func unzipped(_ bytes: [UInt8], atMost limit: Int = 1 << 20) -> [UInt8]? {
    var stream = z_stream()
    guard
        inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    var (input, result) = (bytes, Z_OK)
    let output = input.withUnsafeMutableBufferPointer { input in
        [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
            (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
            result = inflate(&stream, Z_FINISH)
            count = output.count - Int(stream.avail_out)
        }
    }
    return result == Z_STREAM_END ? output : nil
}
