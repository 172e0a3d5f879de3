import Domain
import Foundation
import LifeSignalDevice
import Testing
import UserNotifications

@testable import LifeSignalApp

@Suite struct DeadlineSnapshotTests {
    private func folder(_ name: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(name)")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func snapshotIsReadAsWritten() throws {
        let folder = try folder("written")
        defer { try? FileManager.default.removeItem(at: folder) }
        let snapshot = DeadlineSnapshot(
            lastCheckIn: Date(timeIntervalSince1970: 1_772_366_400),
            deadline: Date(timeIntervalSince1970: 1_772_452_800),
            pausedUntil: Date(timeIntervalSince1970: 1_772_409_600),
            journey: .init(
                JourneyRecord(
                    id: JourneyID(.random()), name: "Zugspitze",
                    startTime: Date(timeIntervalSince1970: 1_772_366_400),
                    expectedReturn: Date(timeIntervalSince1970: 1_772_373_600))))
        try snapshot.write(in: folder)
        #expect(DeadlineSnapshot.read(in: folder) == snapshot)
    }

    @Test func snapshotOfEarlierVersionIsRead() throws {
        let folder = try folder("earlier")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(#"{"lastCheckIn":0,"deadline":86400}"#.utf8)
            .write(to: folder.appending(path: "deadline.json"))
        let read = DeadlineSnapshot.read(in: folder)
        #expect(read.deadline == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(read.pausedUntil == nil && read.journey == nil)
    }

    /// The device's clock is an hour behind.
    @Test func timesFollowTheServersClock() throws {
        let folder = try folder("clock")
        defer { try? FileManager.default.removeItem(at: folder) }
        var snapshot = DeadlineSnapshot(deadline: Date(timeIntervalSince1970: 1_772_366_400))
        snapshot.clock = ClockMeasurement(
            offset: .hours(1), deviceTime: Date(timeIntervalSince1970: 1_772_280_000))
        try snapshot.write(in: folder)
        let read = DeadlineSnapshot.read(in: folder)
        #expect(read == snapshot && read.clockOffset() == .hours(1))
        let earlier = Date(timeIntervalSince1970: 1_772_362_800)
        #expect(read.deadline.map { read.onThisClock($0) } == earlier)
        #expect(read.onServerClock(earlier) == read.deadline)
        snapshot.clock = nil
        #expect(snapshot == DeadlineSnapshot(deadline: read.deadline))
    }

    /// The widget reads the snapshot after the app has written it.
    @Test func clockMayBeSetAfterTheMeasurement() {
        let measured = Date(timeIntervalSince1970: 1_772_280_000)
        var snapshot = DeadlineSnapshot(deadline: Date(timeIntervalSince1970: 1_772_366_400))
        snapshot.clock = ClockMeasurement(
            offset: .hours(1), deviceTime: measured, uptime: Uptime(start: "1", time: .seconds(5)))
        let later = Uptime(start: "1", time: .seconds(65))
        let unchanged = measured.adding(.seconds(60))
        #expect(snapshot.clockOffset(at: unchanged, later) == .hours(1))
        #expect(snapshot.clockOffset(at: unchanged.adding(.hours(1)), later) == .zero)
        let restarted = Uptime(start: "2", time: .seconds(65))
        #expect(snapshot.clockOffset(at: unchanged, restarted) == .zero)
    }

    /// The phone's clock is right when it is measured, and is set an hour ahead a minute later.
    @Test func rightClockMayBeSetLater() {
        let measured = Date(timeIntervalSince1970: 1_772_280_000)
        var snapshot = DeadlineSnapshot(deadline: Date(timeIntervalSince1970: 1_772_366_400))
        snapshot.clock = ClockMeasurement(
            offset: .zero, deviceTime: measured, uptime: Uptime(start: "1", time: .seconds(5)))
        let later = Uptime(start: "1", time: .seconds(65))
        let set = measured.adding(.seconds(60)).adding(.hours(1))
        #expect(snapshot.clockOffset(at: set, later) == Duration.zero - .hours(1))
    }

    @Test func onlyANotableChangeIsShownAgain() {
        var shown = DeadlineSnapshot(deadline: Date(timeIntervalSince1970: 1_772_366_400))
        shown.clock = ClockMeasurement(
            offset: .hours(1), deviceTime: Date(timeIntervalSince1970: 1_772_280_000),
            uptime: Uptime(start: "1", time: .seconds(5)))
        var next = shown
        next.clock = ClockMeasurement(
            offset: .hours(1), deviceTime: Date(timeIntervalSince1970: 1_772_280_060),
            uptime: Uptime(start: "1", time: .seconds(65)))
        func isShown(again snapshot: DeadlineSnapshot, offset: Duration = .hours(1)) -> Bool {
            snapshot.differs(from: shown, offset: offset, shownOffset: .hours(1))
        }
        #expect(!isShown(again: next))
        let most = Duration.hours(1) + CheckInRules.clockSkew
        #expect(!isShown(again: next, offset: most))
        #expect(isShown(again: next, offset: most + .milliseconds(1)))
        next.clock?.uptime?.start = "2"
        #expect(isShown(again: next))
        next.clock = nil
        #expect(isShown(again: next))
        next = shown
        next.lastCheckIn = Date(timeIntervalSince1970: 1_772_280_000)
        #expect(isShown(again: next))
    }

    @Test func pauseEndsAtItsEnd() {
        let end = Date(timeIntervalSince1970: 1_772_409_600)
        let snapshot = DeadlineSnapshot(pausedUntil: end)
        #expect(snapshot.pauseEnd(at: end.addingTimeInterval(-1)) == end)
        #expect(snapshot.pauseEnd(at: end) == nil)
        #expect(DeadlineSnapshot().pauseEnd(at: end) == nil)
    }

    @Test func emptyFolderGivesEmptySnapshot() throws {
        let folder = try folder("empty")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(DeadlineSnapshot.read(in: folder) == DeadlineSnapshot())
    }
}

@Suite struct SpokenCheckInTests {
    private static let now = Date(timeIntervalSince1970: 1_772_366_400)

    /// - Parameter seconds: how long the next deadline is after the check-in.
    private func words(
        dueIn seconds: TimeInterval?, opensIn opening: TimeInterval? = nil
    ) -> String {
        CheckInRecord(
            id: CheckInID(.random()), occurredAt: Self.now, receivedAt: Self.now,
            nextCheckInTime: seconds.map { Self.now.addingTimeInterval($0) },
            opensAt: opening.map { Self.now.addingTimeInterval($0) }
        ).spokenWords
    }

    @Test func lateCheckInIsNotClaimed() {
        #expect(words(dueIn: 0) == "Your check-in came after its deadline. Check in again.")
        #expect(words(dueIn: 60) == "You are checked in")
        #expect(words(dueIn: nil) == "You are checked in")
        #expect(words(dueIn: 7_200, opensIn: 3_600).hasPrefix("Recorded."))
    }
}

@Suite struct PushMessageTests {
    private static let id = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b"

    @Test func readsServersFields() throws {
        let message = try #require(
            PushMessage([
                "aps": ["alert": ["title": "Ana needs help"]],
                "lifesignal": [
                    "id": Self.id, "recipientID": Self.id, "aboutUserID": Self.id,
                    "alertID": Self.id, "receipt": "secret", "type": "alert",
                    "actions": ["acknowledgeAlert", "new"],
                ] as [String: Any],
            ]))
        #expect(message.type == .alert && message.actions == [.acknowledgeAlert])
        #expect(message.alertID?.description.lowercased() == Self.id)
        #expect(message.recipientID != nil && message.aboutUserID != nil)
        #expect(message.notificationID != nil && message.pingID == nil)
        #expect(message.receipt == "secret")
    }

    @Test func resultOfAPressHasTheSameSubject() throws {
        var message = try #require(
            PushMessage([
                "lifesignal": [
                    "id": Self.id, "recipientID": Self.id, "pingID": Self.id, "receipt": "secret",
                    "type": "ping", "actions": ["respondToPing"],
                ] as [String: Any]
            ]))
        message.receipt = nil
        #expect(PushMessage(message.userInfo) == message)
    }

    @Test func ignoresMessagesOfOtherOrigin() {
        #expect(PushMessage([:]) == nil)
        #expect(PushMessage(["aps": ["content-available": 1]]) == nil)
        #expect(PushMessage(["lifesignal": "text"]) == nil)
    }

    @Test func onlyTheSignedInUsersMessagesAreShown() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recipient-shown")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let message = try #require(PushMessage(["lifesignal": ["recipientID": Self.id]]))
        let nameless = try #require(PushMessage(["lifesignal": ["id": Self.id]]))
        #expect(MessageRecipient.accepts(message, in: folder))
        MessageRecipient.write(message.recipientID, in: folder)
        #expect(MessageRecipient.accepts(message, in: folder))
        MessageRecipient.write(UserID(.random()), in: folder)
        #expect(!MessageRecipient.accepts(message, in: folder))
        MessageRecipient.write(nil, in: folder)
        #expect(!MessageRecipient.accepts(message, in: folder))
        #expect(MessageRecipient.accepts(nameless, in: folder))
    }

    /// A stale recipient would hide the alerts of the next user.
    @Test func recipientThatCannotBeStoredHidesNothing() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recipient-missing")
        try? FileManager.default.removeItem(at: folder)
        let message = try #require(PushMessage(["lifesignal": ["recipientID": Self.id]]))
        MessageRecipient.write(UserID(.random()), in: folder)
        #expect(MessageRecipient.accepts(message, in: folder))
    }

    @Test func buttonsNeedUnlockedPhone() {
        let categories = NotificationTapHandler.categories
        #expect(
            Set(categories.map(\.identifier)) == [
                "acknowledgeAlert", "respondToPing", "checkIn", "confirmDrill", "arrived",
            ])
        for action in categories.flatMap(\.actions) {
            #expect(action.options == .authenticationRequired)
            #expect(PushAction(rawValue: action.identifier)?.button == action.title)
        }
    }
}
