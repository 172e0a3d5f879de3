import COpenSSL
import Foundation
import Synchronization

/// The server's certificate and key, which can be renewed while connections use them.
public final class LiveCertificate: Sendable {
    /// PEM: the certificate with its issuers' certificates, and its private key.
    public struct Files: Sendable, Equatable {
        public var certificate: Data
        public var key: Data

        public init(certificate: Data, key: Data) {
            self.certificate = certificate
            self.key = key
        }
    }

    private struct State {
        var files: Files
        var context: TLSContext
    }

    private let read: @Sendable () throws -> Files
    private let state: Mutex<State>

    /// Throws `CertificateError`, or what `read` throws.
    /// - Parameter read: reads the files.
    public init(_ read: @escaping @Sendable () throws -> Files) throws {
        let files = try read()
        let context = try TLSContext(files)
        state = Mutex(State(files: files, context: context))
        self.read = read
    }

    /// Reads the files again. New connections get the certificate. If it is unusable, throws, and
    /// keeps the last one.
    /// - Returns: whether the files have changed.
    public func refresh() throws -> Bool {
        let files = try read()
        guard files != state.withLock({ $0.files }) else { return false }
        let context = try TLSContext(files)
        state.withLock { $0 = State(files: files, context: context) }
        return true
    }

    /// When the certificate expires.
    public var expiry: Date { context.expiry }

    var context: TLSContext { state.withLock { $0.context } }
}

public enum CertificateError: Error, Sendable, Equatable {
    case noCertificate, noKey
    /// A certificate of an issuer is cut or damaged.
    case brokenChain
    /// The key is not the certificate's.
    case otherKey
    case noMemory
}

/// A certificate and its key, as OpenSSL uses them.
final class TLSContext: Sendable {
    // OpenSSL counts references atomically, and nothing changes the context after `init`.
    private nonisolated(unsafe) let pointer: OpaquePointer
    let expiry: Date

    /// Throws `CertificateError`.
    init(_ files: LiveCertificate.Files) throws {
        guard let context = lifesignal_tls_context() else { throw CertificateError.noMemory }
        var expiry: Int64 = 0
        let outcome = files.certificate.withUnsafeBytes { certificate in
            files.key.withUnsafeBytes { key in
                lifesignal_tls_use(
                    context, certificate.baseAddress, Int32(clamping: certificate.count),
                    key.baseAddress, Int32(clamping: key.count), &expiry)
            }
        }
        pointer = context
        self.expiry = Date(timeIntervalSince1970: Double(expiry))
        // From here on, `deinit` frees the context, also after an error.
        switch outcome {
        case lifesignal_tls_good: break
        case lifesignal_tls_no_certificate: throw CertificateError.noCertificate
        case lifesignal_tls_no_key: throw CertificateError.noKey
        case lifesignal_tls_broken_chain: throw CertificateError.brokenChain
        default: throw CertificateError.otherKey
        }
    }

    /// Returns a connection and its two ends, which it frees; nil without memory.
    func makeConnection() -> (
        connection: OpaquePointer, incoming: OpaquePointer, outgoing: OpaquePointer
    )? {
        var (incoming, outgoing): (OpaquePointer?, OpaquePointer?) = (nil, nil)
        guard let connection = lifesignal_tls_connection(pointer, &incoming, &outgoing),
            let incoming, let outgoing
        else { return nil }
        return (connection, incoming, outgoing)
    }

    deinit { SSL_CTX_free(pointer) }
}
