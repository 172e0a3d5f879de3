import Domain
import Foundation
import Persistence
import SafetyNetwork
import Testing

@testable import HTTPServer

/// A datagram socket in place of systemd's.
private final class FakeManager: Sendable {
    let name: String
    private let descriptor: Int32

    init(name: String) throws {
        self.name = name
        #if canImport(Glibc)
        let kind = Int32(SOCK_DGRAM.rawValue)
        #else
        let kind = SOCK_DGRAM
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let family = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(family + path.count))
            }
        }
        try #require(bound == 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// Returns the next message; nil if none has come.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    func wait(for message: String) async {
        while next() != message { await Task.yield() }
    }
}

private func socketPath() -> String {
    FileManager.default.temporaryDirectory
        .appendingPathComponent("notify-\(UUID.random())").path
}

@Suite(.timeLimit(.minutes(5))) struct ServiceManagerTests {
    private func made(_ environment: [String: String]) -> ServiceManager? {
        ServiceManager(environment: environment, process: 7)
    }

    @Test func statesReachASocketWithAPath() throws {
        let fake = try FakeManager(name: socketPath())
        let manager = try #require(made(["NOTIFY_SOCKET": fake.name]))
        for state in [ServiceManager.State.ready, .alive, .stopping] {
            #expect(manager.tell(state))
            #expect(fake.next() == state.rawValue)
        }
        #expect(fake.next() == nil)
    }

    #if os(Linux)
    @Test func statesReachAnAbstractSocket() throws {
        let fake = try FakeManager(name: "@lifesignal-\(UUID.random())")
        let manager = try #require(made(["NOTIFY_SOCKET": fake.name]))
        #expect(manager.tell(.ready))
        #expect(fake.next() == "READY=1")
    }
    #endif

    @Test func missingSocketIsNoError() throws {
        let manager = try #require(made(["NOTIFY_SOCKET": socketPath()]))
        #expect(!manager.tell(.ready))
    }

    @Test(arguments: [nil, "", "notify", "vsock:2:1234"])
    func otherSocketsAreIgnored(name: String?) {
        #expect(made(name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
    }

    @Test func pathMustFitIntoAnAddress() {
        let most = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        let longest = "/" + String(repeating: "x", count: most - 1)
        #expect(made(["NOTIFY_SOCKET": longest]) != nil)
        #expect(made(["NOTIFY_SOCKET": longest + "x"]) == nil)
    }

    @Test(
        arguments: [
            ("30000000", nil, Duration.seconds(30)), ("30000000", "7", .seconds(30)),
            ("30000000", "8", nil), ("0", nil, nil), ("-1", nil, nil), ("soon", nil, nil),
            (nil, nil, nil),
        ] as [(String?, String?, Duration?)])
    func watchdogIsOfThisProcess(limit: String?, owner: String?, expected: Duration?) throws {
        var environment = ["NOTIFY_SOCKET": "/run/notify"]
        environment["WATCHDOG_USEC"] = limit
        environment["WATCHDOG_PID"] = owner
        #expect(try #require(made(environment)).watchdogLimit == expected)
    }
}

@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    private let fake: FakeManager
    private let manager: ServiceManager

    init() throws {
        fake = try FakeManager(name: socketPath())
        manager = try #require(
            ServiceManager(
                environment: ["NOTIFY_SOCKET": fake.name, "WATCHDOG_USEC": "4000"], process: 7))
    }

    @Test(
        arguments: [
            (Duration.zero, false, false), (.seconds(60), false, false),
            (.milliseconds(60_001), false, true), (.milliseconds(60_001), true, false),
            (.minutes(10), true, false), (.milliseconds(600_001), true, true),
        ] as [(Duration, Bool, Bool)])
    func hangIsALongPass(age: Duration, mayBeSlow: Bool, hangs: Bool) {
        #expect(Watchdog.hangs(after: age, mayBeSlow: mayBeSlow) == hangs)
    }

    @Test func hungMonitorIsNotFed() {
        for (age, message) in [
            (nil, "WATCHDOG=1"), (.zero, "WATCHDOG=1"), (.seconds(61), nil),
            (.seconds(1), "WATCHDOG=1"),
        ] as [(Duration?, String?)] {
            Watchdog(manager, timeSinceProgress: { age }, mayBeSlow: { false }).feed()
            #expect(fake.next() == message)
        }
    }

    /// The monitor makes no pass until everybody's times are corrected, which may take minutes.
    @Test func correctionOfTheClockIsNoHang() throws {
        let server = try TestServer()
        let clock = ServerClock(
            wall: { noon }, monotonic: { .seconds(10) }, bootID: 1, isSynchronised: { true })
        #expect(!Watchdog.isSlow(server.database, by: clock))
        let yesterday = noon.adding(.days(-1))
        clock.start(
            remembering: ClockMemory(
                time: yesterday, since: yesterday, trust: .full, boot: .zero, bootID: 1))
        #expect(Watchdog.isSlow(server.database, by: clock))
        clock.settle(try #require(clock.correction))
        #expect(!Watchdog.isSlow(server.database, by: clock))
    }

    @Test func watchdogToleratesLateCommits() throws {
        let server = try TestServer()
        let clock = ServerClock(
            wall: { noon }, monotonic: { .seconds(10) }, bootID: 1, isSynchronised: { true })
        server.database.pretendCommitsAreLate(true)
        #expect(Watchdog.isSlow(server.database, by: clock))
        server.database.pretendCommitsAreLate(false)
        #expect(!Watchdog.isSlow(server.database, by: clock))
    }

    /// The monitor's work hangs in its first pass, so neither the loop nor the monitor progresses.
    @Test func loopInAPassMakesNoProgress() async throws {
        let (begins, began) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let loop = BackgroundLoop(
            "deadline monitor", .init(now: { noon }), logger: LogBook().logger
        ) {
            began.yield()
            _ = await ends.first { _ in true }
            return nil
        }
        let running = Task { try await loop.run() }
        _ = await begins.first { _ in true }
        #expect(loop.timeWithoutProgress == nil)
        end.yield()
        while loop.timeWithoutProgress == nil { await Task.yield() }
        running.cancel()
        end.finish()
        try await running.value
    }

    @Test func failingMonitorIsFed() async throws {
        let server = try TestServer()
        server.database.fail(with: .closed)
        let monitor = server.deadlineMonitor
        let loop = BackgroundLoop(
            "deadline monitor", .init(now: { noon }), logger: LogBook().logger
        ) { try await monitor.handleDueDeadlines() }
        let running = Task { try await loop.run() }
        while !loop.hasFailed { await Task.yield() }
        while loop.timeWithoutProgress == nil { await Task.yield() }
        let clock = ServerClock(wall: { noon }, monotonic: { .zero })
        Watchdog(manager, watching: loop, monitor, server.database, by: clock).feed()
        #expect(fake.next() == "WATCHDOG=1")
        running.cancel()
        try await running.value
    }

    @Test func serviceFeedsUntilItStops() async throws {
        let watchdog = Watchdog(
            manager, timeSinceProgress: { .zero }, mayBeSlow: { false })
        let running = Task { try await watchdog.run() }
        await fake.wait(for: "WATCHDOG=1")
        await fake.wait(for: "WATCHDOG=1")
        running.cancel()
        await fake.wait(for: "STOPPING=1")
        try await running.value
    }

    @Test func serviceWithoutAWatchdogTellsOnlyItsStop() async throws {
        let manager = try #require(
            ServiceManager(environment: ["NOTIFY_SOCKET": fake.name], process: 7))
        let watchdog = Watchdog(
            manager, timeSinceProgress: { .zero }, mayBeSlow: { false })
        let running = Task { try await watchdog.run() }
        running.cancel()
        try await running.value
        #expect(fake.next() == "STOPPING=1")
        #expect(fake.next() == nil)
    }
}
