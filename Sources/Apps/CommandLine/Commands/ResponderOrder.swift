import ArgumentParser
import Clients
import Domain

extension Contacts {
    struct Order: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show or set the order in which your responders are called.",
            discussion: """
                Those you name come first, in this order; the others follow, the oldest first. \
                Setting it needs a connection.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "The responders' names, the beginnings of them, or their ids.")
        var contacts: [String] = []

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            var people = snapshot.contacts
            if !contacts.isEmpty {
                let chosen = try contacts.map { try snapshot.contact($0).id }
                people = try await session.values.contactClient.orderResponders(chosen)
            }
            let order = people.filter(\.isCalled).sorted { $0.isCalledBefore($1) }
            let lines = order.enumerated().map { "\($0 + 1). \(Plain.name($1.name))" }
            let none =
                people.contains(where: \.isResponder)
                ? "Your responders have no phone number." : "You have no responders yet."
            return Report(
                lines: lines.isEmpty ? [none] : lines,
                json: ListView(
                    key: "responders",
                    items: order.map {
                        ContactView($0, at: session.words.now, in: snapshot)
                    }), showsCopy: contacts.isEmpty)
        }
    }
}
