import COpenSSL
import NIOCore

/// The server's side of one connection: turns bytes of the network into plain bytes and back. Does
/// no input or output itself.
final class TLSConnection {
    enum Event: Equatable {
        case bytes
        case needsMore
        /// The client sends no more.
        case closed
    }

    /// The client broke the protocol, or has no version or cipher in common with the server.
    struct ProtocolError: Error {}

    /// The largest plain text of a record, in bytes (RFC 8446).
    private static let recordLimit = 16_384

    // `connection` owns the other two.
    private let connection: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    /// Throws `CertificateError` without memory.
    init(_ context: TLSContext) throws {
        guard let made = context.makeConnection() else { throw CertificateError.noMemory }
        connection = made.connection
        incoming = made.incoming
        outgoing = made.outgoing
    }

    deinit { SSL_free(connection) }

    /// Takes bytes of the network.
    func receive(_ bytes: ByteBuffer) throws {
        let written = bytes.withUnsafeReadableBytes {
            BIO_write(incoming, $0.baseAddress, Int32(clamping: $0.count))
        }
        guard Int(written) == bytes.readableBytes || bytes.readableBytes == 0 else {
            throw ProtocolError()
        }
    }

    /// Returns whether the handshake is complete.
    func shakeHands() throws -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        if result == 1 { return true }
        guard SSL_get_error(connection, result) == SSL_ERROR_WANT_READ else {
            throw ProtocolError()
        }
        return false
    }

    /// Appends plain bytes that the client has sent.
    func read(into buffer: inout ByteBuffer) throws -> Event {
        ERR_clear_error()
        var result: Int32 = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordLimit) { space in
            result = SSL_read(connection, space.baseAddress, Int32(clamping: space.count))
            return max(0, Int(result))
        }
        if result > 0 { return .bytes }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ: return .needsMore
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: throw ProtocolError()
        }
    }

    /// Encrypts plain bytes; `takeOutgoing` returns them.
    func write(_ bytes: ByteBuffer) throws {
        guard bytes.readableBytes > 0 else { return }
        ERR_clear_error()
        let written = bytes.withUnsafeReadableBytes {
            SSL_write(connection, $0.baseAddress, Int32(clamping: $0.count))
        }
        guard Int(written) == bytes.readableBytes else { throw ProtocolError() }
    }

    /// Announces that the server sends no more.
    func finish() {
        ERR_clear_error()
        _ = SSL_shutdown(connection)
    }

    /// Returns and removes the bytes for the network.
    func takeOutgoing(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        let count = Int(BIO_ctrl_pending(outgoing))
        var buffer = allocator.buffer(capacity: count)
        guard count > 0 else { return buffer }
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            max(0, Int(BIO_read(outgoing, space.baseAddress, Int32(clamping: count))))
        }
        return buffer
    }
}
