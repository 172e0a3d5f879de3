import CCurl
import Foundation

/// One request handled by libcurl. Used only on the engine's thread.
final class Transfer {
    let handle: UnsafeMutableRawPointer
    private let exchange: Exchange
    private let guardian: AddressGuardian
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var head: ResponseHead?
    private var isHeadDelivered = false

    init(
        _ request: OutgoingRequest, _ exchange: Exchange, guardian: AddressGuardian,
        _ options: TransferEngine.Options
    ) throws {
        guard let handle = curl_easy_init() else {
            throw HTTPClientError.failed("libcurl can't start a request")
        }
        self.handle = handle
        self.exchange = exchange
        self.guardian = guardian
        for header in request.headers + [("Expect", "")] {
            headerList = curl_slist_append(
                headerList, "\(header.0):\(header.1.isEmpty ? "" : " \(header.1)")")
        }
        guard prepare(request, options) else {
            throw HTTPClientError.failed("libcurl refused an option")
        }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headerList)
    }

    private func prepare(
        _ request: OutgoingRequest, _ options: TransferEngine.Options
    ) -> Bool {
        let milliseconds = max(1, Int(request.timeout / .milliseconds(1)))
        let isTLS = request.url.scheme?.lowercased() == "https"
        // An empty text also turns off the proxies of the environment.
        let proxy = options.proxy ?? ""
        var codes = [
            lifesignal_curl_set_string(handle, CURLOPT_URL, request.url.absoluteString),
            lifesignal_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method),
            lifesignal_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            lifesignal_curl_set_string(handle, CURLOPT_PROXY, proxy),
            lifesignal_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            lifesignal_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
            lifesignal_curl_set_long(
                handle, CURLOPT_TIMEOUT_MS, exchange.limitsWholeTransfer ? milliseconds : 0),
            lifesignal_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 5_000)),
            lifesignal_curl_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1),
            lifesignal_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
            lifesignal_curl_set_long(handle, CURLOPT_PIPEWAIT, isTLS ? 1 : 0),
            lifesignal_curl_set_long(handle, CURLOPT_FRESH_CONNECT, request.isRepeatable ? 0 : 1),
            lifesignal_curl_set_list(handle, CURLOPT_HTTPHEADER, headerList),
        ]
        if let authorities = options.authorities {
            codes.append(lifesignal_curl_set_string(handle, CURLOPT_CAINFO, authorities))
        }
        if let path = request.socketPath {
            codes.append(lifesignal_curl_set_string(handle, CURLOPT_UNIX_SOCKET_PATH, path))
        }
        if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
            // Even a length of 0 is sent, because many servers require a length for these methods.
            codes.append(
                lifesignal_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, request.body.count))
            codes.append(
                request.body.withUnsafeBytes {
                    lifesignal_curl_set_pointer(
                        handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(handle))
                })
        }
        // `TransferTable` retains this object as long as libcurl has the handle.
        let me = Unmanaged.passUnretained(self).toOpaque()
        codes += [
            lifesignal_curl_set_pointer(
                handle, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(guardian).toOpaque()),
            lifesignal_curl_set_open(handle, openSocket),
            lifesignal_curl_set_pointer(handle, CURLOPT_WRITEDATA, me),
            lifesignal_curl_set_write(handle, CURLOPT_WRITEFUNCTION, takeBody),
            lifesignal_curl_set_pointer(handle, CURLOPT_HEADERDATA, me),
            lifesignal_curl_set_write(handle, CURLOPT_HEADERFUNCTION, takeHeader),
        ]
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    fileprivate func receive(header line: String) {
        // Lines after the head are trailers, which are ignored.
        guard !isHeadDelivered else { return }
        if line.hasPrefix("HTTP/") {
            head = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map {
                ResponseHead(status: $0)
            }
        } else if line.isEmpty {
            if let head, head.status >= 200 {
                isHeadDelivered = true
                exchange.receive(head)
            }
        } else if let colon = line.firstIndex(of: ":") {
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            let known = head?.headers[name]
            head?.headers[name] = known.map { "\($0), \(value)" } ?? value
        }
    }

    fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        switch exchange.receive(bytes) {
        case .taken: bytes.count
        case .full: Int(CURL_WRITEFUNC_PAUSE)
        // Returning fewer bytes than received makes libcurl end the transfer.
        case .over: bytes.isEmpty ? 1 : 0
        }
    }

    func end(_ code: CURLcode) {
        exchange.finish(error(for: code).map { .failure($0) } ?? .success(()))
    }

    private func error(for code: CURLcode) -> HTTPClientError? {
        if code == CURLE_OK { return nil }
        if guardian.hasRefusedAll { return .privateAddress }
        switch ConnectionFailure(code, of: handle) {
        case .unresolved: return .unresolved
        case .offline: return .offline
        case .refused: return .refused
        case .insecure: return .insecure
        case nil: break
        }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return isUnsent ? .notConnected : .timedOut
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            return .interrupted
        default: return .failed(String(cString: curl_easy_strerror(code)))
        }
    }

    /// True if libcurl has sent no byte of the request.
    private var isUnsent: Bool {
        var size = 0
        let code = lifesignal_curl_get_long(handle, CURLINFO_REQUEST_SIZE, &size)
        return code == CURLE_OK && size == 0
    }
}

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

private func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    return transfer(context).receive(
        body: UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func takeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let line = String(
        decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
    transfer(context).receive(header: line.trimmingCharacters(in: .newlines))
    return size * count
}
