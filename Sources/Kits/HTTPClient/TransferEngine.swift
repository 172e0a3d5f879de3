import CCurl
import COpenSSL
import Foundation
import Synchronization

/// A thread that runs all transfers of one client. Only this thread uses libcurl's handles. Other
/// threads queue commands and wake it.
final class TransferEngine: Sendable {
    enum Command: Sendable {
        case start(UInt64, OutgoingRequest, Exchange)
        case goOn(UInt64)
        case stop(UInt64)
    }

    private struct State {
        var commands: [Command] = []
        var next: UInt64 = 0
        var isRunning = false
        var isOver = false
        /// The handle while the thread has it open, so that a closed handle is never woken.
        var multi: MultiHandle?
    }

    // `@unchecked Sendable`: other threads call only `curl_multi_wakeup`, which libcurl allows.
    struct MultiHandle: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

    static let isReady: Bool = {
        // By default, OpenSSL frees memory at exit that running transfers still use.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    struct Options {
        var allowed: AllowedAddresses
        var connections: Int
        var authorities: String?
        var proxy: String?
    }

    let options: Options
    private let state = Mutex(State())

    private init(_ options: Options) { self.options = options }

    /// Ends the thread when the last copy of the client is deallocated.
    final class Owner: Sendable {
        private let engine: TransferEngine

        init(_ options: Options) { engine = TransferEngine(options) }

        deinit { engine.end() }

        func start(_ request: OutgoingRequest, _ exchange: Exchange) {
            // The closure retains the owner, so the thread lives until the exchange ends.
            let (owner, id) = (self, engine.newID())
            let hasBegun = exchange.begin { signal in
                switch signal {
                case .goOn: owner.engine.leave(.goOn(id))
                case .stop: owner.engine.leave(.stop(id))
                }
            }
            if hasBegun { engine.leave(.start(id, request, exchange)) }
        }
    }

    private func newID() -> UInt64 {
        state.withLock { state in
            state.next += 1
            return state.next
        }
    }

    private func leave(_ command: Command) {
        let mustStart = state.withLock { state in
            state.commands.append(command)
            if let multi = state.multi { curl_multi_wakeup(multi.pointer) }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return }
        let thread = Thread { self.run() }
        thread.name = "lifesignal.http"
        thread.start()
    }

    private func end() {
        state.withLock { state in
            state.isOver = true
            if let multi = state.multi { curl_multi_wakeup(multi.pointer) }
        }
    }

    // MARK: On the thread

    private func run() {
        guard Self.isReady, let multi = curl_multi_init() else { return refuseAll() }
        _ = lifesignal_curl_multi_set_long(
            multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connections)
        state.withLock { $0.multi = MultiHandle(pointer: multi) }
        var transfers = TransferTable(multi: multi, options)
        while true {
            let (commands, isOver) = state.withLock { state in
                defer { state.commands = [] }
                return (state.commands, state.isOver)
            }
            for command in commands { transfers.apply(command) }
            transfers.advance()
            if isOver, transfers.isEmpty { break }
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
        state.withLock { $0.multi = nil }
        curl_multi_cleanup(multi)
    }

    private func refuseAll() {
        let commands = state.withLock { state in
            defer { (state.commands, state.isRunning) = ([], false) }
            return state.commands
        }
        for case .start(_, _, let exchange) in commands {
            exchange.finish(.failure(HTTPClientError.failed("libcurl can't start")))
        }
    }
}

/// The transfers of one engine. Used only on the engine's thread.
struct TransferTable {
    private let multi: UnsafeMutableRawPointer
    private let options: TransferEngine.Options
    private var byID: [UInt64: Transfer] = [:]
    private var ids: [UnsafeMutableRawPointer: UInt64] = [:]

    init(multi: UnsafeMutableRawPointer, _ options: TransferEngine.Options) {
        self.multi = multi
        self.options = options
    }

    var isEmpty: Bool { byID.isEmpty }

    mutating func apply(_ command: TransferEngine.Command) {
        switch command {
        case .start(let id, let request, let exchange):
            // The exchange may have been cancelled before this command.
            guard !exchange.isOver else { return }
            do {
                let transfer = try Transfer(
                    request, exchange,
                    guardian: AddressGuardian(
                        options.allowed, isTLS: request.url.scheme?.lowercased() == "https"),
                    options)
                guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
                    throw HTTPClientError.failed("libcurl refused a request")
                }
                byID[id] = transfer
                ids[transfer.handle] = id
            } catch {
                exchange.finish(.failure(error))
            }
        case .goOn(let id):
            if let transfer = byID[id] { curl_easy_pause(transfer.handle, CURLPAUSE_CONT) }
        case .stop(let id):
            if let transfer = byID[id] { remove(id, transfer) }
        }
    }

    mutating func advance() {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var code = CURLE_OK
        while let handle = lifesignal_curl_multi_next_done(multi, &code) {
            guard let id = ids[handle], let transfer = byID[id] else { continue }
            remove(id, transfer)
            transfer.end(code)
        }
    }

    private mutating func remove(_ id: UInt64, _ transfer: Transfer) {
        curl_multi_remove_handle(multi, transfer.handle)
        ids[transfer.handle] = nil
        byID[id] = nil
    }
}
