import AppIntents
import LifeSignalApp

/// Answers "How is Ana?"
struct PersonStatusIntent: AppIntent {
    static let title: LocalizedStringResource = "How is someone I watch over?"
    // The phone must be unlocked, because the answer is about other people.
    static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    @Parameter(title: "Person") var person: PersonEntity

    func perform() async throws -> some IntentResult & ProvidesDialog {
        let words = try await IntentActions.status(of: person.id)
        return .result(dialog: "\(words)")
    }
}

/// A dependent whose name the user can say to Siri.
struct PersonEntity: AppEntity {
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Person"
    static let defaultQuery = PersonQuery()

    let id: String
    let name: String

    var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct PersonQuery: EntityStringQuery {
    func entities(for identifiers: [String]) async throws -> [PersonEntity] {
        try await suggestedEntities().filter { identifiers.contains($0.id) }
    }

    func entities(matching string: String) async throws -> [PersonEntity] {
        try await suggestedEntities().filter {
            $0.name.localizedCaseInsensitiveContains(string)
        }
    }

    func suggestedEntities() async throws -> [PersonEntity] {
        try await IntentActions.dependents().map { PersonEntity(id: $0.id, name: $0.name) }
    }
}
