import CCurl
import Foundation

/// A request to somebody else's server.
public struct OutgoingRequest: Sendable {
    public var method: String
    public var url: URL
    public var headers: [(name: String, value: String)]
    public var body: Data
    public var timeout: Duration

    public init(
        method: String = "POST", url: URL, headers: [(name: String, value: String)] = [], body: Data = Data(), timeout: Duration = .seconds(10)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

public struct IncomingResponse: Sendable {
    public var status: Int
    public var body: Data
}

public enum HTTPClientError: Error, Equatable, Sendable {
    /// The name leads to an address inside a private network, where a webhook has no business.
    case privateAddress
    case timedOut
    case failed(String)
}

/// HTTP by libcurl, because every address is seen before it is connected to: a name that leads to a private address is
/// refused however it got there. Redirects are not followed and no proxy is used.
public struct HTTPClient: Sendable {
    private static let responseLimit = 8 * 1024 * 1024
    private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let allowsPrivateAddresses: Bool
    private let threads: DispatchQueue

    public init(allowsPrivateAddresses: Bool) {
        self.allowsPrivateAddresses = allowsPrivateAddresses
        threads = DispatchQueue(label: "lifesignal.http", attributes: .concurrent)
    }

    /// Throws `HTTPClientError`. A response of any status is an answer, not an error.
    public func send(_ request: OutgoingRequest) async throws -> IncomingResponse {
        try await withCheckedThrowingContinuation { continuation in
            threads.async {
                let body = Collector(limit: Self.responseLimit)
                continuation.resume(
                    with: Result {
                        let status = try perform(request, into: body)
                        return IncomingResponse(status: status, body: body.bytes)
                    })
            }
        }
    }

    /// Hands the body of the response on as it arrives, until `receive` returns false or the server ends it.
    /// Blocks the calling thread. Throws `HTTPClientError`.
    public func stream(_ request: OutgoingRequest, receive: @escaping (Data) -> Bool) throws {
        _ = try perform(request, into: Collector(receive: receive))
    }

    private func perform(_ request: OutgoingRequest, into collector: Collector) throws -> Int {
        guard Self.isReady, let handle = curl_easy_init() else { throw HTTPClientError.failed("libcurl can't start") }
        defer { curl_easy_cleanup(handle) }
        var headers: UnsafeMutablePointer<curl_slist>?
        for header in request.headers + [("Expect", "")] {
            headers = curl_slist_append(headers, "\(header.0):\(header.1.isEmpty ? "" : " \(header.1)")")
        }
        defer { curl_slist_free_all(headers) }

        let milliseconds = Int(request.timeout / .milliseconds(1))
        let codes = [
            lifesignal_curl_set_string(handle, CURLOPT_URL, request.url.absoluteString),
            lifesignal_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method),
            lifesignal_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            lifesignal_curl_set_string(handle, CURLOPT_PROXY, ""),
            lifesignal_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            lifesignal_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
            lifesignal_curl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds),
            lifesignal_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 5_000)),
            lifesignal_curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { throw HTTPClientError.failed("libcurl refused an option") }

        let guardian = AddressGuardian(allowsPrivate: allowsPrivateAddresses)
        let code = withExtendedLifetime((collector, guardian)) {
            request.body.withUnsafeBytes { body -> CURLcode in
                if !body.isEmpty {
                    _ = lifesignal_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count)
                    _ = lifesignal_curl_set_pointer(handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
                } else if ["POST", "PUT", "PATCH"].contains(request.method) {
                    // Without a word about its length many servers refuse such a request.
                    _ = lifesignal_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, 0)
                    _ = lifesignal_curl_set_string(handle, CURLOPT_COPYPOSTFIELDS, "")
                }
                _ = lifesignal_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(guardian).toOpaque())
                _ = lifesignal_curl_set_open(handle, openSocket)
                _ = lifesignal_curl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(collector).toOpaque())
                _ = lifesignal_curl_set_write(handle, CURLOPT_WRITEFUNCTION, writeBytes)
                return curl_easy_perform(handle)
            }
        }
        if guardian.hasRefused { throw HTTPClientError.privateAddress }
        switch code {
        case CURLE_OK: break
        case CURLE_WRITE_ERROR where collector.hasEnough: break
        case CURLE_OPERATION_TIMEDOUT: throw HTTPClientError.timedOut
        default: throw HTTPClientError.failed(String(cString: curl_easy_strerror(code)))
        }
        var status = 0
        _ = lifesignal_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }
}

/// Takes what libcurl hands over on its thread.
private final class Collector {
    private(set) var bytes = Data()
    private(set) var hasEnough = false
    private let limit: Int
    private let receive: ((Data) -> Bool)?

    init(limit: Int) {
        self.limit = limit
        receive = nil
    }

    init(receive: @escaping (Data) -> Bool) {
        limit = .max
        self.receive = receive
    }

    func take(_ chunk: Data) -> Bool {
        if let receive {
            hasEnough = !receive(chunk)
        } else {
            bytes += chunk.prefix(limit - bytes.count)
            hasEnough = bytes.count >= limit
        }
        return !hasEnough
    }
}

private func writeBytes(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
    guard let bytes, let context else { return 0 }
    let collector = Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
    return collector.take(Data(bytes: bytes, count: size * count)) ? size * count : 0
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return -1 }
    let guardian = Unmanaged<AddressGuardian>.fromOpaque(context).takeUnretainedValue()
    guard guardian.accepts(address) else { return -1 }
    return socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
}

private final class AddressGuardian {
    private let allowsPrivate: Bool
    private(set) var hasRefused = false

    init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    func accepts(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        let bytes: [UInt8] = withUnsafePointer(to: &address.pointee.addr) { pointer in
            switch address.pointee.family {
            case AF_INET:
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) } }
            case AF_INET6:
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) } }
            default: []
            }
        }
        let isAccepted = allowsPrivate || PublicAddress.isPublic(bytes)
        if !isAccepted { hasRefused = true }
        return isAccepted
    }
}
