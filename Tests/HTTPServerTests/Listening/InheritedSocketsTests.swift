import Foundation
import Testing

@testable import HTTPServer

@Suite struct InheritedSocketsTests {
    private func sockets(
        _ environment: [String: String], take: (Int32) -> Bool = { _ in true }
    ) throws -> InheritedSockets {
        try InheritedSockets(environment: environment, process: 7, take: take)
    }

    @Test func withoutAServiceManagerThereAreNone() throws {
        #expect(try sockets([:]) == .init())
        #expect(try sockets(["LISTEN_PID": "7"]) == .init())
        #expect(try sockets(["LISTEN_FDS": "1"]) == .init())
        #expect(try sockets(["LISTEN_PID": "7", "LISTEN_FDS": "0"]) == .init())
    }

    @Test(arguments: ["8", "", "7 ", "seven"])
    func socketsOfAnotherProcessAreIgnored(process: String) throws {
        #expect(try sockets(["LISTEN_PID": process, "LISTEN_FDS": "1"]) == .init())
    }

    @Test(arguments: [nil, "public", "lifesignal.socket", ""])
    func oneSocketIsForPeople(name: String?) throws {
        var environment = ["LISTEN_PID": "7", "LISTEN_FDS": "1"]
        environment["LISTEN_FDNAMES"] = name
        #expect(try sockets(environment) == .init(main: 3))
    }

    @Test func socketCanBeForHealthOnly() throws {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "internal"]
        #expect(try sockets(environment) == .init(health: 3))
    }

    @Test func twoSocketsGoByTheirNames() throws {
        var environment = ["LISTEN_PID": "7", "LISTEN_FDS": "2"]
        #expect(try sockets(environment) == .init(main: 3, health: 4))
        environment["LISTEN_FDNAMES"] = "internal:public"
        #expect(try sockets(environment) == .init(main: 4, health: 3))
    }

    @Test(arguments: ["public:public", "a:b", "public:", "public", "public:internal:x"])
    func otherNamesOfTwoSocketsAreRefused(names: String) {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": names]
        #expect(throws: InheritedSockets.Refusal.self) { try sockets(environment) }
    }

    @Test(arguments: ["3", "-1", "many", "1.5", "99999999999999999999"])
    func otherNumberOfSocketsIsRefused(count: String) {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": count]
        #expect(throws: InheritedSockets.Refusal.self) { try sockets(environment) }
    }

    @Test func unusableDescriptorIsNamed() throws {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "2"]
        let error = #expect(throws: InheritedSockets.Refusal.self) {
            try sockets(environment) { $0 == 3 }
        }
        #expect(error?.description.contains("descriptor 4 (internal)") == true)
    }

    @Test func onlyListeningSocketsAreTaken() throws {
        #if canImport(Glibc)
        let (stream, datagram) = (Int32(SOCK_STREAM.rawValue), Int32(SOCK_DGRAM.rawValue))
        #else
        let (stream, datagram) = (SOCK_STREAM, SOCK_DGRAM)
        #endif
        let (listening, other) = (socket(AF_INET, stream, 0), socket(AF_INET, datagram, 0))
        defer {
            close(listening)
            close(other)
        }
        #expect(!InheritedSockets.take(listening))
        // The system binds it to a free port.
        try #require(listen(listening, 1) == 0)
        #expect(InheritedSockets.take(listening))
        #expect(fcntl(listening, F_GETFD) & FD_CLOEXEC != 0)
        #expect(!InheritedSockets.isLocal(listening))
        #expect(!InheritedSockets.take(other) && !InheritedSockets.take(-1))
        let local = socket(AF_UNIX, stream, 0)
        defer { close(local) }
        #expect(InheritedSockets.isLocal(local) && !InheritedSockets.isLocal(-1))
    }
}

@Suite struct HTTPDatesTests {
    @Test(arguments: [
        (0.0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777.999, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (1_709_251_199.0, "Thu, 29 Feb 2024 23:59:59 GMT"),
    ])
    func dateHasTheFormOfTheHeader(seconds: Double, text: String) {
        let dates = HTTPDates()
        for _ in 0..<2 {
            #expect(dates.text(Date(timeIntervalSince1970: seconds)) == text)
        }
    }

    @Test func eachSecondHasItsText() {
        let dates = HTTPDates()
        #expect(dates.text(Date(timeIntervalSince1970: 1)).contains("00:00:01"))
        #expect(dates.text(Date(timeIntervalSince1970: 2)).contains("00:00:02"))
        #expect(dates.text(Date(timeIntervalSince1970: 1.5)).contains("00:00:01"))
    }
}
