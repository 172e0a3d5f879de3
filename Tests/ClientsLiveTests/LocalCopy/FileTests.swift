import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

@Suite struct FileTests {
    let folder: TemporaryFolder
    private var copyPath: String { folder.url.appending(path: "inner/copy.sqlite").path }
    private var queuePath: String { folder.url.appending(path: "inner/queue.sqlite").path }

    init() throws { folder = try TemporaryFolder() }

    private func contents() throws -> CopyContents {
        let (ada, ben): (UserID, UserID) = (id(1), id(2))
        var model = AccountModel()
        let zone = "Europe/Berlin"
        model.profile = UserProfile(
            id: ada, name: "Ada", phoneNumber: try PhoneNumber("+15550100001"),
            emergencyNote: "Insulin", profilePictureURL: URL(string: "https://x.example/1"),
            settings: .standard, lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(24)),
            status: .active, createdAt: noon,
            pause: CheckInPause(began: noon, until: noon.adding(.hours(48))), timeZone: zone)
        model.profile?.journey = JourneyRecord(
            id: id(12), name: "Zugspitze", note: "By car", startTime: noon,
            expectedReturn: noon.adding(.hours(2)), responderIds: [ben], tellsResponders: true)
        let ten = try #require(TimeOfDay("10:00"))
        let daily = CheckInTimes(
            timeZone: zone, windows: [CheckInWindow(days: .everyDay, deadline: ten)])
        model.contacts = [
            ContactData(
                id: ben, name: "Ben", phoneNumber: try PhoneNumber("+15550100002"),
                profilePictureURL: nil,
                roles: try ContactRoles(isResponder: true, isDependent: true), dateAdded: noon,
                hasPendingPing: true, pingedAt: noon,
                watch: .init(
                    emergencyNote: "", lastCheckInTime: nil, nextCheckInTime: noon,
                    checkInIntervalSeconds: 60, status: .nonResponsive,
                    plan: .times(daily),
                    pausedUntil: noon.adding(.hours(48)))),
            ContactData(
                id: id(3), name: "Cem", phoneNumber: try PhoneNumber("+15550100003"),
                profilePictureURL: URL(string: "https://x.example/2"),
                roles: try ContactRoles(isResponder: true, isDependent: false),
                dateAdded: noon.adding(.seconds(-1)), hasPendingPing: false, pingedAt: nil,
                watch: nil),
            ContactData(
                id: id(10), name: "Dora", phoneNumber: nil, profilePictureURL: nil,
                roles: .shown(isResponder: false, isDependent: false),
                dateAdded: noon.adding(.seconds(-2)), hasPendingPing: false, pingedAt: nil,
                watch: nil,
                requests: [
                    .init(role: .responder, isMine: true, requestedAt: noon),
                    .init(role: .dependent, isMine: false, requestedAt: noon),
                ]),
        ]
        model.contacts[1].position = 0
        model.contacts[0].watch?.timeZone = "Asia/Tokyo"
        model.contacts[0].watch?.journey = WatchedJourney(
            name: "Wank", expectedReturn: noon.adding(.hours(1)))
        model.alerts = [
            AlertRecord(
                id: "\(id(4) as AlertID)", startTime: noon, endTime: nil, userId: "\(ben)",
                isActive: true, kind: .missedCheckIn, deadline: noon)
        ]
        model.pings = [
            PingRecord(
                id: id(5), responderID: ben, dependentID: ada, createdAt: noon, state: .pending,
                settledAt: nil)
        ]
        model.checkIns = [
            CheckInRecord(
                id: id(6), occurredAt: noon, receivedAt: noon,
                nextCheckInTime: noon.adding(.hours(24)), opensAt: noon.adding(.hours(18)),
                source: "Kitchen button"),
            // A schedule without deadlines.
            CheckInRecord(
                id: id(11), occurredAt: noon.adding(.seconds(-1)), receivedAt: noon,
                nextCheckInTime: nil),
        ]
        model.notifications = [
            NotificationItem(
                id: id(7), type: .ping, title: "Ben asks", body: "…", createdAt: noon,
                aboutUserID: ben, pingID: id(5), sessionID: id(13), kind: .lastingChange),
            NotificationItem(
                id: id(8), type: .alert, title: "'; --", body: "",
                createdAt: noon.adding(.seconds(-1)), readAt: noon, alertID: id(4)),
        ]
        model.preferences = try NotificationPreferences(muted: [.checkIn])
        return CopyContents(model: model, lastSynced: noon)
    }

    @Test func copyRoundTrips() async throws {
        let contents = try contents()
        var changed = contents
        changed.model.contacts.removeFirst()
        changed.model.notifications[0].readAt = noon
        changed.model.preferences = nil
        let first = try LocalCopy(path: copyPath)
        let empty = try await first.load(of: id(1))
        #expect(empty == CopyContents())
        try await first.save(contents, replacing: empty)
        try first.close()
        let second = try LocalCopy(path: copyPath)
        #expect(try await second.load(of: id(1)) == contents)
        try await second.save(changed, replacing: contents)
        #expect(try await second.load(of: id(1)) == changed)
        #expect(try await second.load(of: id(2)) == CopyContents())
        #expect(try await second.load(of: id(1)) == CopyContents())
        try second.close()
    }

    @Test func listsKeepTheirOrder() async throws {
        let times: [(UInt8, Date)] = [(4, noon.adding(.seconds(1))), (3, noon)]
        var contents = CopyContents()
        contents.model.alerts = times.map { number, time in
            AlertRecord(
                id: "\(id(number) as AlertID)", startTime: time, endTime: time,
                userId: "\(id(1) as UserID)", isActive: false, kind: .manual)
        }
        contents.model.pings = times.map { number, time in
            PingRecord(
                id: id(number), responderID: id(2), dependentID: id(1), createdAt: time,
                state: .expired, settledAt: time)
        }
        let copy = try LocalCopy(path: copyPath)
        try await copy.save(contents, replacing: try await copy.load(of: id(1)))
        #expect(try await copy.load(of: id(1)) == contents)
        try copy.close()
    }

    @Test func databaseFilesArePrivate() async throws {
        _ = FileManager.default.createFile(
            atPath: folder.url.appending(path: "open.sqlite").path, contents: Data(),
            attributes: [.posixPermissions: 0o644])
        for path in [copyPath, queuePath, folder.url.appending(path: "open.sqlite").path] {
            let copy = try LocalCopy(path: path)
            _ = try await copy.load(of: id(1))
            for suffix in ["", "-wal", "-shm"] {
                #expect(
                    try FileManager.default.attributesOfItem(atPath: path + suffix)[
                        .posixPermissions] as? Int == 0o600, "\(suffix)")
            }
            try copy.close()
        }
        let inner = folder.url.appending(path: "inner").path
        #expect(
            try FileManager.default.attributesOfItem(atPath: inner)[.posixPermissions] as? Int
                == 0o700)
    }

    @Test func linkToAForeignFileIsNotFollowed() throws {
        let target = folder.url.appending(path: "target").path
        _ = FileManager.default.createFile(atPath: target, contents: Data("mine".utf8))
        let link = folder.url.appending(path: "link.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(throws: PrivateFile.Failure.self) { try LocalCopy(path: link) }
        #expect(FileManager.default.contents(atPath: target) == Data("mine".utf8))
    }

    @Test func damagedCopyIsReplaced() async throws {
        try LocalCopy(path: copyPath).close()
        try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: copyPath))
        let copy = try LocalCopy(path: copyPath)
        #expect(try await copy.load(of: id(1)) == CopyContents())
        try copy.close()
        #expect(FileManager.default.contents(atPath: copyPath + ".damaged")?.first == 0x41)
    }

    @Test func damagedQueueIsReported() async throws {
        try QueueFile(path: queuePath).close()
        try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: queuePath))
        let queue = try QueueFile(path: queuePath)
        #expect(try await queue.load() == QueueContents(wasDamaged: true))
        try queue.close()
        let next = try QueueFile(path: queuePath)
        #expect(try await next.load() == QueueContents())
        try next.close()
    }

    /// A stored refusal may come from another version and be unreadable. The queued alert must
    /// still be sent.
    @Test func unreadableRefusalDoesNotBlockTheQueue() async throws {
        let queue = try QueueFile(path: queuePath)
        let entries = (0..<2).map {
            QueuedEntry(
                id: (id(UInt8($0)) as CheckInID).uuid, position: Int64($0),
                action: .raiseAlert(id(9)), createdAt: noon)
        }
        for entry in entries { try await queue.append(entry) }
        try await queue.refuse(entries[0].id, .unknown)
        try queue.close()
        var bytes = try Data(contentsOf: URL(filePath: queuePath))
        bytes.replaceSubrange(
            try #require(bytes.range(of: Data("\"title\"".utf8))), with: Data("\"tilte\"".utf8))
        try bytes.write(to: URL(filePath: queuePath))
        let next = try QueueFile(path: queuePath)
        let contents = try await next.load()
        #expect(
            contents.entries == [entries[1]]
                && contents.refused == [RefusedEntry(entry: entries[0], error: .unknown)])
        try next.close()
    }

    /// A newer version queued an action before this older one was installed.
    @Test func unreadableActionIsReportedAndStays() async throws {
        func replace(_ old: String, with new: String) throws {
            var bytes = try Data(contentsOf: URL(filePath: queuePath))
            bytes.replaceSubrange(
                try #require(bytes.range(of: Data(old.utf8))), with: Data(new.utf8))
            try bytes.write(to: URL(filePath: queuePath))
        }
        func contents() async throws -> QueueContents {
            let queue = try QueueFile(path: queuePath)
            let contents = try await queue.load()
            try queue.close()
            return contents
        }
        let queue = try QueueFile(path: queuePath)
        for number in 0..<2 as Range<UInt8> {
            try await queue.append(
                QueuedEntry(
                    id: (id(number) as CheckInID).uuid, position: Int64(number),
                    action: .raiseAlert(id(9)), createdAt: noon))
        }
        try queue.close()
        try replace("raiseAlert", with: "raiseAlarm")
        let older = try await contents()
        #expect(older.entries.count == 1 && older.wasDamaged)
        try replace("raiseAlarm", with: "raiseAlert")
        let newer = try await contents()
        #expect(newer.entries.count == 2 && !newer.wasDamaged)
    }

    /// A newer version wrote the file before this older version was installed.
    @Test func unreadableRowsDoNotLoseOthers() async throws {
        let contents = try contents()
        let copy = try LocalCopy(path: copyPath)
        try await copy.save(contents, replacing: try await copy.load(of: id(1)))
        try copy.close()
        var bytes = try Data(contentsOf: URL(filePath: copyPath))
        for (known, future) in [
            ("nonResponsive", "onLongHoliday"), ("\"toldLate\"", "\"toldSoon\""),
        ] {
            let range = try #require(bytes.range(of: Data(known.utf8)))
            bytes.replaceSubrange(range, with: Data(future.utf8))
        }
        try bytes.write(to: URL(filePath: copyPath))
        let next = try LocalCopy(path: copyPath)
        let read = try await next.load(of: id(1)).model
        try next.close()
        #expect(read.alerts.isEmpty)
        #expect(read.contacts.map(\.id) == contents.model.contacts.map(\.id))
        #expect(read.contacts.first?.watch?.status == .active)
        #expect(read.profile == contents.model.profile && read.pings == contents.model.pings)
    }

    @Test func theQueueKeepsOrderAliasesAndRefusals() async throws {
        let queue = try QueueFile(path: queuePath)
        let entries = (0..<5).map {
            QueuedEntry(
                id: (id(UInt8($0)) as CheckInID).uuid, position: Int64($0),
                action: .raiseAlert(id(9)), createdAt: noon)
        }
        for entry in entries { try await queue.append(entry) }
        let alias = Alias(own: entries[0].id, server: entries[1].id)
        try await queue.remove(entries[0].id, noting: alias)
        try await queue.refuse(entries[2].id, .unknown)
        try queue.close()
        let next = try QueueFile(path: queuePath)
        let contents = try await next.load()
        #expect(contents.entries == [entries[1], entries[3], entries[4]])
        #expect(contents.aliases == [alias.own: alias.server])
        #expect(contents.refused == [RefusedEntry(entry: entries[2], error: .unknown)])
        try next.close()
    }

    @Test func heldAlertsKeepTheirTimeInTheFile() async throws {
        let queue = try QueueFile(path: queuePath)
        // Another process of this user may have used the position.
        let entries = [3, 4].map {
            QueuedEntry(
                id: (id($0) as CheckInID).uuid, position: 5, action: .raiseAlert(id($0)),
                createdAt: noon)
        }
        for entry in entries { try await queue.append(entry) }
        #expect(try await queue.load().entries.map(\.position) == [5, 6])
        let first: Set = [entries[0].id]
        try await queue.hold(first, until: nil)
        let untilSignIn: [UUID: Date?] = [entries[0].id: nil]
        #expect(try await queue.load().held == untilSignIn)
        try await queue.hold(first, until: noon)
        let untilNoon: [UUID: Date?] = [entries[0].id: noon]
        #expect(try await queue.load().held == untilNoon)
        try await queue.release(first)
        #expect(try await queue.load().held.isEmpty)
        #expect(try await queue.load().entries.map(\.id) == entries.map(\.id))
        try queue.close()
    }

    @Test func newestHundredAliasesAreKept() async throws {
        let queue = try QueueFile(path: queuePath)
        for number in 0...100 as ClosedRange<UInt8> {
            let alias = Alias(
                own: (id(number) as AlertID).uuid, server: (id(number) as PingID).uuid)
            try await queue.remove(UUID(), noting: alias)
        }
        let aliases = try await queue.load().aliases
        #expect(aliases.count == 100 && aliases[(id(0) as AlertID).uuid] == nil)
        let again = Alias(
            own: (id(100) as AlertID).uuid, server: (id(101) as PingID).uuid)
        try await queue.remove(UUID(), noting: again)
        #expect(try await queue.load().aliases[again.own] == again.server)
        #expect(try await queue.load().aliases.count == 100)
        try queue.close()
    }

    @Test func filesAreSetAsideAndRemovedWithTheirParts() throws {
        let path = folder.url.appending(path: "parts.sqlite").path
        let files = FileManager.default
        // Nothing is there yet.
        try PrivateFile.setAside(path)
        try PrivateFile.remove(path)
        for text in ["old", "new"] {
            for suffix in ["", "-wal"] {
                #expect(files.createFile(atPath: path + suffix, contents: Data(text.utf8)))
            }
            try PrivateFile.setAside(path)
            for suffix in ["", "-wal"] {
                #expect(!files.fileExists(atPath: path + suffix))
                #expect(files.contents(atPath: path + ".damaged" + suffix) == Data(text.utf8))
            }
        }
        #expect(files.createFile(atPath: path, contents: Data()))
        try PrivateFile.remove(path)
        for suffix in ["", ".damaged", ".damaged-wal"] {
            #expect(!files.fileExists(atPath: path + suffix), "\(suffix)")
        }
    }
}
