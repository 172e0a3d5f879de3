import Domain
import Features
import Foundation
import TestApp

extension TestUser {
    var id: UserID {
        get async throws { try await shows("who is signed in") { $0.signedIn?.userID } }
    }

    /// Returns the contact with this name, once both tabs show it and `isSo` returns true.
    @discardableResult
    func contact(
        _ name: String, _ what: String = "",
        isAs isSo: @escaping @Sendable (ContactData) -> Bool = { _ in true }
    ) async throws -> ContactData {
        try await shows("\(name) as a contact \(what)") { state in
            guard let tabs = state.tabs,
                tabs.responders.contacts.contacts == tabs.dependents.contacts.contacts
            else { return nil }
            return tabs.responders.contacts.contacts.first { $0.name == name && isSo($0) }
        }
    }

    @discardableResult
    func notification(_ words: String) async throws -> NotificationItem {
        try await shows("a notification that says “\(words)”") { state in
            state.tabs?.notifications.notifications.first {
                $0.title.contains(words) || $0.body.contains(words)
            }
        }
    }

    @discardableResult
    func tabs<Value: Sendable>(
        _ what: String, _ find: @escaping @Sendable (MainTabFeature.State) -> Value?
    ) async throws -> Value {
        try await shows(what) { state in state.tabs.flatMap(find) }
    }

    func tabs(_ what: String, that isSo: @escaping @Sendable (MainTabFeature.State) -> Bool)
        async throws
    {
        try await shows(what) { state in state.tabs.map(isSo) == true ? true : nil }
    }
}

/// Ana and her responder Ben.
struct AnaAndBen {
    let app: TestApp
    let ana, ben: TestUser

    init(mutually: Bool = false) async throws {
        app = try TestApp(.memory)
        ana = try await app.welcome("Ana", "+15550100001", note: "Penicillin")
        ben = try await app.welcome("Ben", "+15550100002")
        try await app.connect(ana, watchedBy: ben, mutually: mutually)
        try await ana.contact("Ben")
        try await ben.contact("Ana")
    }

    func third() async throws -> TestUser {
        let cy = try await app.welcome("Cy", "+15550100003")
        try await app.connect(ana, watchedBy: cy)
        try await cy.contact("Ana")
        return cy
    }
}
