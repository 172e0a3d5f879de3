import CCurl
import Foundation
import HTTPClient
import Synchronization

/// An SMTP client based on libcurl. Each message uses its own thread and connection. Idle
/// connections are reused.
public final class MailClient: Sendable {
    // `@unchecked Sendable`: only one thread at a time takes a handle from the pool and uses it.
    private struct Handle: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

    /// The maximum number of idle connections.
    private static let idleLimit = 4

    private let server: MailServer
    private let timeout: Duration
    private let idle = Mutex<[Handle]>([])

    /// - Parameter timeout: the time limit from the start to the server's final reply. If the
    ///   connection isn't kept, the wait for the reply to QUIT is added: 3 seconds less than this.
    public init(_ server: MailServer, timeout: Duration = .seconds(20)) {
        self.server = server
        self.timeout = timeout
    }

    deinit { for handle in idle.withLock({ $0 }) { curl_easy_cleanup(handle.pointer) } }

    /// Returns once the server has accepted the message. Throws `MailError`.
    /// - Parameter rejection: gets the server's words; nil if they don't matter.
    public func send(
        _ message: MailMessage, noting rejection: MailRejection? = nil
    ) async throws(MailError) {
        try await onThread { [self] in perform(message, rejection) }
    }

    /// Connects with TLS and signs in, without sending a message. Throws `MailError`.
    /// - Parameter sender: an address, whose domain is the name for the greeting.
    public func check(as sender: String) async throws(MailError) {
        let message = MailMessage(
            sender: ("", sender), recipient: "", subject: "", text: "", html: "")
        try await onThread { [self] in
            guard Libcurl.isReady, let handle = curl_easy_init() else {
                return .failure(.failed("libcurl can't start"))
            }
            defer { curl_easy_cleanup(handle) }
            return MailSubmission(message, to: server, timeout: timeout, isTrial: true)
                .run(on: handle)
        }
    }

    private func onThread(
        _ work: @escaping @Sendable () -> Result<Void, MailError>
    ) async throws(MailError) {
        let outcome: Result<Void, MailError> = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.name = "lifesignal.mail"
            thread.start()
        }
        try outcome.get()
    }

    private func perform(
        _ message: MailMessage, _ rejection: MailRejection?
    ) -> Result<Void, MailError> {
        guard Libcurl.isReady else { return .failure(.failed("libcurl can't start")) }
        let known = idle.withLock { $0.popLast() }
        guard let handle = known?.pointer ?? curl_easy_init() else {
            return .failure(.failed("libcurl can't start a message"))
        }
        let submission = MailSubmission(message, to: server, timeout: timeout)
        let result = submission.run(on: handle)
        rejection?.note(submission.rejection)
        // After a failure, the connection's state is unknown, so it isn't reused.
        let isKept = idle.withLock { idle in
            guard case .success = result, idle.count < Self.idleLimit else { return false }
            idle.append(Handle(pointer: handle))
            return true
        }
        if !isKept { curl_easy_cleanup(handle) }
        return result
    }
}

/// The last line of a server's last negative reply to a message.
public final class MailRejection: Sendable {
    private let text = Mutex("")

    public init() {}

    /// Empty without a negative reply.
    public var line: String { text.withLock { $0 } }

    fileprivate func note(_ line: String) { text.withLock { $0 = line } }
}

final class MailSubmission {
    private let message: MailMessage
    private let server: MailServer
    private let milliseconds: Int
    /// The time limit of each reply, which libcurl takes in whole seconds. For the reply to QUIT,
    /// `CURLOPT_TIMEOUT_MS` doesn't count, and libcurl would wait two minutes.
    private let secondsForReply: Int
    private let bytes: Data
    private let isTrial: Bool
    /// The time limit in milliseconds until the server can take a message: with greeting, TLS and
    /// sign-in. Mail servers delay their greeting on purpose, as spammers don't wait for it.
    private var connecting: Int { min(milliseconds, 15_000) }
    private var position = 0
    private var hasLeftTheMachine = false
    /// The last line of the last negative reply.
    private(set) var rejection = ""

    /// - Parameter isTrial: true to end once the server could take the message.
    init(
        _ message: MailMessage, to server: MailServer, timeout: Duration, isTrial: Bool = false
    ) {
        self.message = message
        self.isTrial = isTrial
        self.server = server
        milliseconds = max(1, Int(timeout / .milliseconds(1)))
        secondsForReply = max(1, milliseconds / 1_000 - 3)
        bytes = message.bytes
    }

    func run(on handle: UnsafeMutableRawPointer) -> Result<Void, MailError> {
        // Resets the options but keeps the connections.
        curl_easy_reset(handle)
        let recipients = curl_slist_append(nil, "<\(message.recipient)>")
        var errorText = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { curl_slist_free_all(recipients) }
        return errorText.withUnsafeMutableBufferPointer { text in
            guard prepare(handle, recipients, text.baseAddress) else {
                return .failure(.failed("libcurl refused an option"))
            }
            let code = curl_easy_perform(handle)
            _ = lifesignal_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil)
            _ = lifesignal_curl_set_pointer(handle, CURLOPT_HEADERDATA, nil)
            var reply = 0
            _ = lifesignal_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &reply)
            let words = text.baseAddress.map { String(cString: $0) } ?? ""
            return error(for: code, reply: reply, words: words, handle).map { .failure($0) }
                ?? .success(())
        }
    }

    private func prepare(
        _ handle: UnsafeMutableRawPointer, _ recipients: UnsafeMutablePointer<curl_slist>?,
        _ errorText: UnsafeMutablePointer<CChar>?
    ) -> Bool {
        let greeting = message.sender.split(separator: "@").last.map(String.init) ?? "localhost"
        let needsTLS = server.security != .loopbackOnly
        // libcurl doesn't use this pointer after `run` returns.
        let me = Unmanaged.passUnretained(self).toOpaque()
        var codes = [
            lifesignal_curl_set_string(handle, CURLOPT_URL, server.address(greeting: greeting)),
            lifesignal_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            lifesignal_curl_set_string(handle, CURLOPT_PROXY, ""),
            lifesignal_curl_set_string(handle, CURLOPT_MAIL_FROM, "<\(message.sender)>"),
            lifesignal_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
            lifesignal_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            lifesignal_curl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds),
            lifesignal_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, connecting),
            lifesignal_curl_set_long(handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, secondsForReply),
            lifesignal_curl_set_long(
                handle, CURLOPT_USE_SSL,
                Int(needsTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue)),
            lifesignal_curl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1),
            lifesignal_curl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2),
            // libcurl then closes the connection without QUIT.
            lifesignal_curl_set_long(handle, CURLOPT_CONNECT_ONLY, isTrial ? 1 : 0),
            lifesignal_curl_set_long(handle, CURLOPT_UPLOAD, 1),
            lifesignal_curl_set_long(handle, CURLOPT_INFILESIZE, bytes.count),
            lifesignal_curl_set_pointer(handle, CURLOPT_READDATA, me),
            lifesignal_curl_set_write(handle, CURLOPT_READFUNCTION, readMail),
            lifesignal_curl_set_pointer(handle, CURLOPT_WRITEDATA, me),
            lifesignal_curl_set_write(handle, CURLOPT_WRITEFUNCTION, dropReply),
            lifesignal_curl_set_pointer(handle, CURLOPT_HEADERDATA, me),
            lifesignal_curl_set_write(handle, CURLOPT_HEADERFUNCTION, takeReply),
            lifesignal_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, me),
            lifesignal_curl_set_open(handle, openMailSocket),
            lifesignal_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText),
        ]
        if let login = server.login, needsTLS {
            codes.append(lifesignal_curl_set_string(handle, CURLOPT_USERNAME, login.user))
            codes.append(lifesignal_curl_set_string(handle, CURLOPT_PASSWORD, login.password))
        }
        if let certificates = server.certificates {
            codes.append(lifesignal_curl_set_string(handle, CURLOPT_CAINFO, certificates))
        }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    fileprivate func read(into buffer: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
        let part = bytes.dropFirst(position).prefix(count)
        part.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            memcpy(buffer, base, source.count)
        }
        position += part.count
        return part.count
    }

    fileprivate func receive(_ line: String) {
        if line.hasPrefix("4") || line.hasPrefix("5") { rejection = line }
    }

    /// Returns true if libcurl may connect to the address. Without TLS, only loopback addresses are
    /// allowed.
    fileprivate func accepts(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        guard server.security == .loopbackOnly else { return true }
        let bytes = address.addressBytes
        let isLoopback =
            bytes.count == 4 && bytes.first == 127
            || bytes.count == 16 && bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        if !isLoopback { hasLeftTheMachine = true }
        return isLoopback
    }

    private var isWhole: Bool { position >= bytes.count }

    private func error(
        for code: CURLcode, reply: Int, words: String, _ handle: UnsafeMutableRawPointer
    ) -> MailError? {
        if hasLeftTheMachine { return .insecure }
        switch ConnectionFailure(code, of: handle) {
        case .unresolved: return .unresolved
        case .offline: return .offline
        case .refused: return .connectionRefused
        case .insecure: return .insecure
        case nil: break
        }
        switch code {
        case CURLE_OK: return nil
        case CURLE_OPERATION_TIMEDOUT: return isWhole ? .unconfirmed : .timedOut
        case CURLE_LOGIN_DENIED: return (400..<500).contains(reply) ? .later(reply) : .signInRefused
        default: break
        }
        // libcurl's error text for a negative reply to RCPT.
        let isAboutRecipient = words.hasPrefix("RCPT failed")
        let answer = MailReply(code: reply, line: rejection, isAboutRecipient: isAboutRecipient)
        if let error = answer.error { return error }
        switch code {
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY,
            CURLE_PARTIAL_FILE:
            return isWhole ? .unconfirmed : .interrupted
        default: return .failed(String(cString: curl_easy_strerror(code)))
        }
    }
}

private func submission(_ context: UnsafeMutableRawPointer) -> MailSubmission {
    Unmanaged<MailSubmission>.fromOpaque(context).takeUnretainedValue()
}

private func readMail(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let context else { return 0 }
    return submission(context).read(into: buffer, size * count)
}

private func dropReply(
    _: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _: UnsafeMutableRawPointer?
) -> Int {
    size * count
}

/// libcurl passes each line of the server's replies as a header.
private func takeReply(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return size * count }
    submission(context).receive(
        String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self))
    return size * count
}

private func openMailSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address, submission(context).accepts(address) else { return -1 }
    return socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
}
