import CCurl
import Foundation

/// The addresses that a client connects to.
public enum AllowedAddresses: Sendable {
    case all
    case publicOnly
    /// Public addresses by TLS. The closure gets the 4 or 16 bytes of an address, and returns true
    /// to allow it with or without TLS.
    case publicAnd(@Sendable ([UInt8]) -> Bool)

    func include(_ bytes: [UInt8], isTLS: Bool) -> Bool {
        switch self {
        case .all: true
        case .publicOnly: PublicAddress.isPublic(bytes)
        case .publicAnd(let isOwn): isOwn(bytes) || isTLS && PublicAddress.isPublic(bytes)
        }
    }
}

/// Checks every address before libcurl connects to it.
final class AddressGuardian {
    private let allowed: AllowedAddresses
    private let isTLS: Bool
    private var hasRefused = false
    private var hasAccepted = false

    /// True if the host has only addresses that this client doesn't connect to.
    var hasRefusedAll: Bool { hasRefused && !hasAccepted }

    init(_ allowed: AllowedAddresses, isTLS: Bool) {
        self.allowed = allowed
        self.isTLS = isTLS
    }

    fileprivate func accepts(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        let isAccepted = allowed.include(address.addressBytes, isTLS: isTLS)
        if isAccepted { hasAccepted = true } else { hasRefused = true }
        return isAccepted
    }
}

func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return -1 }
    let guardian = Unmanaged<AddressGuardian>.fromOpaque(context).takeUnretainedValue()
    guard guardian.accepts(address) else { return -1 }
    let descriptor = socket(
        address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    limitSilence(of: descriptor)
    return descriptor
}

/// The kernel ends a connection whose peer has confirmed no sent byte for this long, in seconds.
/// The default is about 15 minutes, and libcurl sends every HTTP/2 request on that connection.
private let longestSilence: Int32 = 10

/// Has no effect on sockets other than TCP's.
private func limitSilence(of descriptor: curl_socket_t) {
    #if canImport(Darwin)
    let option = TCP_RXT_CONNDROPTIME
    var limit = longestSilence
    #else
    let option = TCP_USER_TIMEOUT
    // Linux counts milliseconds.
    var limit = longestSilence * 1000
    #endif
    setsockopt(
        descriptor, Int32(IPPROTO_TCP), option, &limit, socklen_t(MemoryLayout<Int32>.size))
}
