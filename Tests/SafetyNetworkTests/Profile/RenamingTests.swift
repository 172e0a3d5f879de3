import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Mallory and Ben are responders of Ada. Cleo is Mallory's responder.
@Suite struct RenamingTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person
    private let mallory: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        mallory = try await server.person("Mallory")
        for responder in [ben, mallory] { try await server.connect(responder, watchesOver: ada) }
        try await server.connect(cleo, watchesOver: mallory)
    }

    private func rename(_ person: Person, _ name: String) async -> CommandError? {
        await refusal {
            try await server.network.profiles.updateProfile(
                name: name, emergencyNote: nil, of: person.caller)
        }
    }

    @Test func newNameIsToldDespiteMuting() async throws {
        for person in [ada, cleo] {
            try await server.network.notifications.setPreferences(
                NotificationPreferences(muted: [.system]), of: person.caller)
        }
        #expect(await rename(mallory, "Molly") == nil)
        for person in [ada, cleo] {
            let news = try #require(try await server.newsItems(of: person).last)
            #expect(news.title == "A contact has another name")
            #expect(news.body.hasPrefix("Mallory is now called Molly."))
        }
        #expect(try await server.news(of: ben).isEmpty)
    }

    @Test func onlyAnotherNameIsNews() async throws {
        for name in ["Mallory", " Mallory "] { #expect(await rename(mallory, name) == nil) }
        _ = try await server.network.profiles.updateProfile(
            name: nil, emergencyNote: "Insulin", of: mallory.caller)
        #expect(try await server.news(of: ada).isEmpty)
    }

    @Test(arguments: [
        ("Ada", false), ("Ben", false), ("BEN", false), ("B\u{E9}n", false), ("Cleo", false),
        ("Be\u{AD}n", false), ("Ben\u{3164}", false), ("\u{FF22}\u{FF45}\u{FF4E}", false),
        ("Ben\u{200F}", false), ("Ben B.", true), ("Bennet", true), ("mallory", true),
        ("Zoe", true),
    ])
    func nameOfAContactOrOtherResponderIsRefused(name: String, isFree: Bool) async throws {
        _ = try await server.person("Zoe")
        let refused = await rename(mallory, name)
        #expect((refused == nil) == isFree)
        if !isFree { #expect(refused?.field == "name") }
        #expect(try await server.profile(mallory).name == (isFree ? name : "Mallory"))
    }

    /// Somebody could become a responder without a name, and choose one during the alert.
    @Test(arguments: [true, false])
    func firstNameOfAContactIsChecked(isResponder: Bool) async throws {
        let new = try await server.signIn(PhoneNumber("+493012345678"), as: "")
        if isResponder { try await server.connect(new, watchesOver: ada) }
        _ = try await server.news(of: ada)
        let refused = await rename(new, "Ben")
        #expect((refused != nil) == isResponder)
        guard isResponder else { return }
        let alert = try await server.raiseAlert(ada)
        #expect(await rename(new, "Nina")?.reason == .alertOpen)
        _ = try await server.endAlert(alert, ada)
        #expect(await rename(new, "Nina") == nil)
        let news = try await server.newsItems(of: ada)
        #expect(news.contains { $0.body.hasPrefix("A LifeSignal user is now called Nina.") })
    }

    /// A list of names would show who else helps Ada.
    @Test func refusedNamesOfADayAreLimited() async throws {
        let taken = CommandError.invalidArgument(
            field: "name", RefusalWords.nameOfAnother.detail)
        let tooMany = CommandError.invalidArgument(
            field: "name", RefusalWords.namesRefused.detail)
        for _ in 0..<Profiles.refusedNamesPerDay { #expect(await rename(mallory, "Ben") == taken) }
        for name in ["Ben", "Zoe"] { #expect(await rename(mallory, name) == tooMany) }
        server.clock.pass(.days(1))
        #expect(await rename(mallory, "Ben") == taken)
        #expect(await rename(mallory, "Zoe") == nil)
    }

    /// Ada has muted all, and each new name would be a message to her.
    @Test func announcedNamesOfADayAreLimited() async throws {
        func refusalUntil(_ time: String) -> CommandError {
            .invalidArgument(field: "name", RefusalWords.nameWaits(until: time))
        }
        for number in 1...ProfileRules.announcedNamesPerDay {
            #expect(await rename(mallory, "Molly \(number)") == nil)
            server.clock.pass(.hours(1))
        }
        let told = try await server.news(of: ada).count
        for _ in 0..<2 {
            #expect(await rename(mallory, "I see you") == refusalUntil("12:00 UTC on Monday"))
        }
        #expect(try await server.news(of: ada).isEmpty && told == 3)
        // The same name and a note are free, and so is each name of other people.
        #expect(await rename(mallory, "Molly 3") == nil)
        #expect(await rename(ben, "Benno") == nil)
        server.clock.pass(.hours(21))
        #expect(await rename(mallory, "Mallory") == nil)
        #expect(await rename(mallory, "Molly") == refusalUntil("13:00 UTC"))
    }

    @Test func namesThatAreNotToldAreFree() async throws {
        let new = try await server.signIn(PhoneNumber("+493012345678"), as: "")
        for number in 1...10 { #expect(await rename(new, "Nina \(number)") == nil) }
        try await server.connect(new, watchesOver: ada)
        for number in 1...3 { #expect(await rename(new, "Lina \(number)") == nil) }
        #expect(await rename(new, "Lina")?.field == "name")
    }

    @Test func repeatedRequestCountsOnce() async throws {
        let key = server.environment.makeID()
        for name in ["Mia", "Mallory", "Mona"] {
            _ = try await server.network.profiles.updateProfile(
                name: "Molly", emergencyNote: nil, of: mallory.caller, key: key)
            if name != "Mia" { #expect(await rename(mallory, name) == nil) }
        }
        #expect(await rename(mallory, "Milly")?.field == "name")
    }

    /// Earlier clients send the stored name with a new note.
    @Test func olderNameCanStay() async throws {
        let older = "Nobody"
        try await server.engine.write(about: Subjects([mallory.id])) { [mallory] in
            try $0.updateUser(mallory.id, name: older, emergencyNote: "")
        }
        let saved = try await server.network.profiles.updateProfile(
            name: older, emergencyNote: "Insulin", of: mallory.caller)
        #expect(saved.name == older && saved.emergencyNote == "Insulin")
        #expect(await rename(mallory, "No one")?.field == "name")
    }

    /// Ben isn't told who else relies on Ada's responder.
    @Test func nameOfAResponderOfAResponderIsFree() async throws {
        #expect(await rename(ben, "Cleo") == nil)
    }

    @Test func nameStaysDuringTheAlertOfAnother() async throws {
        let alert = try await server.raiseAlert(ada)
        let refused = await rename(mallory, "Molly")
        #expect(refused?.field == "name" && refused?.reason == .alertOpen)
        // The apps send the present name with the note.
        let saved = try await server.network.profiles.updateProfile(
            name: "Mallory", emergencyNote: "Insulin", of: mallory.caller)
        #expect(saved.emergencyNote == "Insulin")
        // The person in need, and somebody who isn't told of the alert.
        #expect(await rename(ada, "Ada L.") == nil)
        #expect(await rename(cleo, "Clio") == nil)
        _ = try await server.endAlert(alert, ada)
        #expect(await rename(mallory, "Molly") == nil)
    }

    /// A refusal would tell Mallory of the alert. Ada's journey has chosen only Ben.
    @Test func nameIsFreeForThoseWhoAreNotTold() async throws {
        let draft = JourneyDraft(
            id: server.environment.id(), name: "Zugspitze", expectedReturn: noon.adding(.hours(1)),
            graceMinutes: 0, responders: [ben.id])
        _ = try await server.network.journeys.start(draft, of: ada.caller)
        // Cleo is a contact of Mallory, but not her dependent.
        try await server.raiseAlert(cleo)
        try await server.pass(.hours(1))
        #expect(await rename(ben, "Benno")?.reason == .alertOpen)
        #expect(await rename(mallory, "Molly") == nil)
    }
}
