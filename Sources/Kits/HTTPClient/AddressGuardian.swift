import CCurl
import Foundation

/// Checks every address before libcurl connects to it.
final class AddressGuardian {
    private let allowsPrivate: Bool
    private(set) var hasRefused = false

    init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    fileprivate func accepts(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        let isAccepted = allowsPrivate || PublicAddress.isPublic(address.addressBytes)
        if !isAccepted { hasRefused = true }
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
    return socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
}
