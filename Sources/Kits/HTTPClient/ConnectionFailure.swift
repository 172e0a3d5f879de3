import CCurl
import Foundation

/// Why a connection was not established, for any protocol.
public enum ConnectionFailure: Sendable {
    case unresolved
    /// This machine is offline.
    case offline
    case refused
    /// The TLS handshake failed, or the certificate is invalid.
    case insecure

    /// Returns nil if the code isn't about connecting.
    /// - Parameter handle: the handle of the transfer that ended with `code`.
    public init?(_ code: CURLcode, of handle: UnsafeMutableRawPointer) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .unresolved
        case CURLE_COULDNT_CONNECT:
            var number = 0
            _ = lifesignal_curl_get_long(handle, CURLINFO_OS_ERRNO, &number)
            let isOffline = [ENETUNREACH, ENETDOWN, EHOSTUNREACH].contains(
                Int32(truncatingIfNeeded: number))
            self = isOffline ? .offline : .refused
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_CACERT_BADFILE:
            self = .insecure
        default: return nil
        }
    }
}

extension UnsafeMutablePointer<curl_sockaddr> {
    /// The 4 or 16 bytes of the address; empty for other families. Extends the pointer, because a
    /// copy of the C struct would truncate an IPv6 address.
    public var addressBytes: [UInt8] {
        withUnsafePointer(to: &pointee.addr) { address in
            switch pointee.family {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
                }
            default: []
            }
        }
    }
}
