import Cryptography
import Foundation

/// A connection to the server that acts like a browser, but takes less memory.
struct PageConnection {
    let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Unexpected("no connection: \(errno)") }
    }

    func close() { _ = Foundation.close(descriptor) }

    func get(_ path: String, cookie: Token) throws {
        let bytes = Array(
            """
            GET \(path) HTTP/1.1\r\nHost: lifesignal.example\r\nCookie: \
            __Host-lifesignal=\(cookie.text)\r\n\r\n
            """
            .utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Unexpected("a request can't be sent: \(errno)")
        }
    }

    /// Reads until this text arrives. Returns everything read.
    func read(until end: String) throws -> String {
        var (bytes, room) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = Foundation.read(descriptor, &room, room.count)
            guard count > 0 else {
                throw Unexpected("the answer ends with \(String(decoding: bytes, as: UTF8.self))")
            }
            bytes += room[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains(end) { return text }
        }
    }
}

struct Pages: Sendable {
    private let descriptors: [Int32]

    static func open(_ cookies: [Token], port: Int) async throws -> Pages {
        try await onThread {
            Pages(
                descriptors: try cookies.map { cookie in
                    let connection = try PageConnection(port: port)
                    try connection.get("/", cookie: cookie)
                    let page = try connection.read(until: "</html>")
                    guard
                        let view = page.firstMatch(
                            of: #/data-view="([^"]+)" data-generation="(\d+)"/#)
                    else { throw Unexpected("no page: \(page)") }
                    try connection.get(
                        "/web/stream?view=\(view.1)&generation=\(view.2)", cookie: cookie)
                    _ = try connection.read(until: "event: alive")
                    return connection.descriptor
                })
        }
    }

    func close() { for descriptor in descriptors { _ = Foundation.close(descriptor) } }

    /// Calls `act`. Returns the time from that call until each page has received the text. Throws
    /// if a page takes longer than `bound`.
    func times(
        of text: String, within bound: Duration = .seconds(30),
        _ act: @Sendable () async throws -> Void
    ) async throws -> [Duration] {
        let begin = ContinuousClock.now
        async let arrivals = onThread { try read(until: text, atLatest: begin + bound) }
        try await act()
        return try await arrivals.map { $0 - begin }
    }

    func drain() async throws {
        _ = try await onThread { try read(until: "", atLatest: .now + .seconds(60)) }
    }

    /// Reads all connections on one thread, every 5 ms. More frequent reading would take processor
    /// time from the measured server. With an empty text, reads until nothing has arrived for half
    /// a second.
    private func read(until text: String, atLatest deadline: ContinuousClock.Instant) throws
        -> [ContinuousClock.Instant]
    {
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var (tails, arrivals) = (
            [[CChar]](repeating: [], count: polls.count),
            [ContinuousClock.Instant?](repeating: nil, count: polls.count)
        )
        var (room, missing) = ([CChar](repeating: 0, count: 65_536), polls.count)
        while missing > 0 {
            guard ContinuousClock.now < deadline else {
                throw Unexpected("\(missing) pages were not told \(text)")
            }
            let ready = poll(&polls, nfds_t(polls.count), 500)
            if ready == 0, text.isEmpty { return [] }
            defer { usleep(5_000) }
            for index in polls.indices where polls[index].revents != 0 {
                let count = Foundation.read(polls[index].fd, &room, room.count)
                guard count > 0 else { throw Unexpected("a stream has ended") }
                guard !text.isEmpty, arrivals[index] == nil else { continue }
                let bytes = tails[index] + room[..<count]
                tails[index] = bytes.suffix(text.utf8.count - 1)
                guard strstr(bytes + [0], text) != nil else { continue }
                arrivals[index] = .now
                missing -= 1
            }
        }
        return arrivals.compactMap(\.self)
    }
}

/// Runs blocking work on a thread that the server doesn't use.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try work() }) }.start()
    }
}
