import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct ShortCheckInTests {
    private static let late = noon.adding(.milliseconds(40))

    /// A check-in of `user` in the log of `ada`, whose event has the time `late`.
    private func expect(
        _ user: UserID, _ moment: Date, _ next: Date?, isStoredAs text: String
    ) throws {
        let checkIn = UserEvent.CheckInSummary(
            userID: user, lastCheckInTime: moment, nextCheckInTime: next)
        #expect(ShortCheckIn.text(of: checkIn, in: ada, at: Self.late) == text)
        #expect(try ShortCheckIn.checkIn(text, in: ada, at: Self.late) == checkIn)
    }

    @Test func timesAreRelative() throws {
        try expect(ada, noon, noon.adding(.hours(24)), isStoredAs: "-40 86400000")
        try expect(ada, Self.late, Self.late.aMillisecondAfter, isStoredAs: "0 1")
        try expect(ada, noon.adding(.days(-30)), noon, isStoredAs: "-2592000040 2592000000")
        try expect(ada, noon.adding(.hours(1)), nil, isStoredAs: "3599960 -")
    }

    @Test func onlyAnothersEventNamesThePerson() throws {
        try expect(ben, noon, nil, isStoredAs: "-40 - AAAAAAAAQACAAAAAAAAAAg")
    }

    @Test(arguments: [
        "", "0", "0 ", " 0", "0 0 ", "0 0 x", "0 0 AAAAAAAAQACAAAAAAAAAAg 0", "- 0", "a 0", "0 a",
        "0 0 AAAAAAAAQACAAAAAAAAA", "10000000000000000 0", "0 10000000000000000", "{}",
    ])
    func otherTextIsUnreadable(text: String) {
        #expect(throws: DatabaseError.unreadable("the event of a check-in")) {
            try ShortCheckIn.checkIn(text, in: ada, at: noon)
        }
    }

    /// The database holds the short form on SQLite only. Readers of either engine get the JSON that
    /// streams have sent.
    @Test(arguments: Home.all)
    func readersGetWhatStreamsHaveSent(home: Home) async throws {
        let reports = Reports()
        try await withDatabase(home, reports: reports) { engine in
            let event = UserEvent.checkIn(
                .init(
                    userID: ben, lastCheckInTime: noon.aMillisecondBefore,
                    nextCheckInTime: noon.adding(.hours(8))))
            try await engine.write(about: .none) { transaction in
                try transaction.append(event, to: ada)
                try transaction.append(event, to: ben)
            }
            for user in [ada, ben] {
                let read = try await engine.read {
                    try $0.events(of: user, after: 0, limit: 10).events
                }
                #expect(read == reports.all.flatMap(\.outbox.events).filter { $0.userID == user })
                #expect(try read.map(\.data) == [event.data()])
            }
            let kinds: [String] = try await engine.read {
                try $0.values("SELECT DISTINCT kind FROM events", [])
            }
            #expect(kinds == [home == .postgreSQL ? "checkIn" : "c"])
        }
    }
}
