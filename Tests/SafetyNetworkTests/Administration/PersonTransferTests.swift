import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada moves from one server to another.
@Suite struct PersonTransferTests {
    private let old: TestServer
    private let new: TestServer
    private let ada: Person

    init() async throws {
        (old, new) = (try TestServer(), try TestServer())
        ada = try await old.armed("Ada")
        _ = try await old.network.profiles.updateProfile(
            name: nil, emergencyNote: "Diabetic", of: ada.caller)
        _ = try await old.network.notifications.setPreferences(
            try NotificationPreferences(muted: [.checkIn]), of: ada.caller)
        _ = try await old.setInterval(.hours(48), of: ada)
    }

    private func export() async throws -> AccountExport {
        let json = try await old.network.personTransfers.export(
            ada.number.text, reason: "Moves", by: "root")
        return try WireJSON.decoder().decode(AccountExport.self, from: json)
    }

    private func bring(_ file: AccountExport) async throws {
        _ = try await new.network.personTransfers.importPerson(file, reason: "Moves", by: "root")
    }

    @Test func profileScheduleAndCheckInsAreMoved() async throws {
        let file = try await export()
        try await bring(file)
        let moved = try await new.signIn(ada.number, as: "Ada")
        let profile = try await new.profile(moved)
        #expect(profile.name == "Ada" && profile.emergencyNote == "Diabetic")
        #expect(profile.settings == file.profile.settings)
        #expect(try await new.history(of: moved).map(\.id) == file.checkIns.map(\.id))
        let preferences = try await new.network.notifications.preferences(of: moved.caller)
        #expect(preferences.muted == [.checkIn])
        let acts = try await new.network.administration.acts(about: moved.caller)
        #expect(acts.map(\.kind) == [.importPerson])
        let code = try await new.network.qrCodes.qrCode(of: moved.caller)
        #expect(code.id != file.qrCodeID)
    }

    @Test func importNeedsOnlyItsParts() async throws {
        var file = try await export()
        file.textMessagesStoppedAt = old.clock.now
        file.timeZone = "Europe/Berlin"
        let part = file.forImport
        #expect(!file.notifications.isEmpty || !file.sessions.isEmpty)
        #expect(part.sessions.isEmpty && part.notifications.isEmpty && part.qrCodeID == nil)
        #expect(part.profile == file.profile && part.checkIns == file.checkIns)
        #expect(part.notificationPreferences == file.notificationPreferences)
        #expect(part.textMessagesStoppedAt == old.clock.now && part.timeZone == "Europe/Berlin")
        try await bring(part)
        let moved = try await new.signIn(ada.number, as: "Ada")
        #expect(try await new.history(of: moved).map(\.id) == file.checkIns.map(\.id))
    }

    /// A history can be larger than the commands that a server takes.
    @Test func importKeepsTheNewestCheckIns() async throws {
        var file = try await export()
        let one = try #require(file.checkIns.first)
        file.checkIns = (0...AccountExport.importedCheckIns).map { index in
            var record = one
            record.occurredAt = noon.adding(.seconds(index))
            return record
        }
        let kept = file.forImport.checkIns
        #expect(kept.count == AccountExport.importedCheckIns)
        #expect(kept.last?.occurredAt == noon.adding(.seconds(1)))
        #expect(kept.first?.occurredAt == file.checkIns.last?.occurredAt)
    }

    @Test func choiceAboutTheCopyIsMoved() async throws {
        _ = try await old.network.profiles.updateProfile(
            name: nil, emergencyNote: nil, leavesNoteOutOfCopy: true, of: ada.caller)
        try await bring(try await export())
        let moved = try await new.signIn(ada.number, as: "Ada")
        #expect(try await new.profile(moved).leavesNoteOutOfCopy == true)
    }

    @Test func timeZoneAndStopAreMoved() async throws {
        await old.network.timeZones.noteTimeZone("Europe/Berlin", of: ada.caller)
        try await old.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            if let user = try transaction.user(ada.id) { try transaction.stopTexts(to: user) }
        }
        try await bring(try await export())
        let moved = try await new.signIn(ada.number, as: "Ada")
        let user = try await new.engine.read { try $0.user(moved.id) }
        #expect(user?.timeZone == "Europe/Berlin" && user?.smsStoppedAt != nil)
    }

    /// An imported deadline could be missed before the person knows of the new server.
    @Test func deadlineBeginsWithACheckInOnTheNewServer() async throws {
        try await bring(try await export())
        try await new.pass(.days(3))
        let moved = try await new.signIn(ada.number, as: "Ada")
        #expect(try await new.profile(moved).nextCheckInTime == nil)
        #expect(try await new.openAlert(moved) == nil)
        try await new.checkIn(moved)
        #expect(try await new.profile(moved).nextCheckInTime != nil)
    }

    @Test func personWithAnAccountIsNotImported() async throws {
        let there = try await new.signIn(ada.number, as: "Ada")
        let file = try await export()
        let error = await refusal { try await bring(file) }
        #expect(error?.isAlreadyExists == true)
        #expect(try await new.profile(there).emergencyNote == "")
    }

    /// It was made for the number's former holder.
    @Test func tokenFromBeforeTheImportSignsNobodyIn() async throws {
        let token = try await new.network.signUpTokens.make(number: ada.number)
        try await bring(try await export())
        let error = await refusal {
            _ = try await new.network.signIn.signIn(
                ada.number, token: token.secret.text, deviceName: "Phone")
        }
        #expect(error == SignUpTokens.refusal(.tokenRevoked))
    }

    @Test func exportTellsThePerson() async throws {
        _ = try await old.news(of: ada)
        _ = try await export()
        #expect(try await old.news(of: ada) == ["Your data was exported"])
        let acts = try await old.network.administration.acts(about: ada.caller)
        #expect(acts.map(\.kind) == [.export])
    }

    @Test func thePersonsOwnExportStopsNoAdministrator() async throws {
        let own = try await old.network.export.export(of: ada.caller)
        defer { withExtendedLifetime(own) {} }
        #expect(try await export().profile.name == "Ada")
    }

    /// A file must exist before the person is told of it.
    @Test func refusedExportTellsNobody() async throws {
        let first = try await old.network.export.export(ofPerson: ada.id)
        defer { withExtendedLifetime(first) {} }
        _ = try await old.news(of: ada)
        #expect(await refusal { try await export() }?.retryAfter == .seconds(10))
        #expect(try await old.news(of: ada) == [])
        #expect(try await old.network.administration.acts(about: ada.caller).isEmpty)
    }

    @Test func exportHasNoSecrets() async throws {
        let file = try await export()
        let text = String(decoding: try WireJSON.encoder().encode(file), as: UTF8.self)
        #expect(!text.contains(ada.tokens.accessToken.text))
        #expect(!text.contains(ada.tokens.refreshToken.text))
    }

    @Test func repeatedAndFutureCheckInsAreLeftOut() async throws {
        var file = try await export()
        let known = try #require(file.checkIns.first)
        var future = known
        future.id = old.environment.id()
        future.occurredAt = new.clock.now.adding(.hours(1))
        var late = known
        late.id = old.environment.id()
        late.receivedAt = new.clock.now.adding(.hours(1))
        file.checkIns += [known, future, late]
        try await bring(file)
        let moved = try await new.signIn(ada.number, as: "Ada")
        #expect(try await new.history(of: moved).map(\.id) == [known.id])
    }

    @Test func invalidProfileIsRefused() async throws {
        var file = try await export()
        file.profile.emergencyNote = String(repeating: "a", count: 4_001)
        #expect(await refusal { try await bring(file) }?.field == "emergencyNote")
        file.profile.emergencyNote = ""
        file.profile.settings.intervalSeconds = 1
        #expect(await refusal { try await bring(file) }?.field == "intervalSeconds")
    }

    @Test(arguments: ["", " Door", "Do\0or", "Do\u{1B}[2Jor", String(repeating: "a", count: 41)])
    func invalidSourceIsRefused(source: String) async throws {
        var file = try await export()
        file.checkIns[0].source = source
        #expect(await refusal { try await bring(file) }?.field == "checkIns.source")
        // Older servers accepted towers of accents.
        file.checkIns[0].source = "D" + String(repeating: "\u{301}", count: 20)
        file.profile.name = "A" + String(repeating: "\u{301}", count: 20)
        try await bring(file)
    }
}
