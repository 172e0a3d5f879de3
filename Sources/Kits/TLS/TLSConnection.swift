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
    /// At least what encryption adds to a record, in bytes.
    private static let recordOverhead = 64

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

    /// Encrypts plain bytes. Returns them after all other bytes for the network.
    func write(_ bytes: ByteBuffer, _ allocator: ByteBufferAllocator) throws -> ByteBuffer {
        var rest = bytes
        var sent = allocator.buffer(capacity: bytes.readableBytes + Self.recordOverhead)
        moveOutgoing(into: &sent)
        // One record at a time. OpenSSL's buffer never shrinks, and would stay as large as the
        // largest answer for as long as the connection is open.
        while rest.readableBytes > 0,
            let record = rest.readSlice(length: min(rest.readableBytes, Self.recordLimit))
        {
            try encrypt(record)
            moveOutgoing(into: &sent)
        }
        return sent
    }

    private func encrypt(_ record: ByteBuffer) throws {
        ERR_clear_error()
        let written = record.withUnsafeReadableBytes {
            SSL_write(connection, $0.baseAddress, Int32(clamping: $0.count))
        }
        guard Int(written) == record.readableBytes else { throw ProtocolError() }
    }

    /// The size of OpenSSL's buffer for the network, in bytes.
    var outgoingCapacity: Int { lifesignal_tls_capacity(outgoing) }

    /// Announces that the server sends no more.
    func finish() {
        ERR_clear_error()
        _ = SSL_shutdown(connection)
    }

    /// Returns and removes the bytes for the network.
    func takeOutgoing(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: Int(BIO_ctrl_pending(outgoing)))
        moveOutgoing(into: &buffer)
        return buffer
    }

    private func moveOutgoing(into buffer: inout ByteBuffer) {
        let count = Int(BIO_ctrl_pending(outgoing))
        guard count > 0 else { return }
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            max(0, Int(BIO_read(outgoing, space.baseAddress, Int32(clamping: count))))
        }
    }
}
