import Domain
import Features
import LivePages

extension BlockedPeopleFeature {
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "blocked-title")) {
            h2(.id("blocked-title")) { "Blocked people" }
            errorNotice(state.error, dismiss: .dismissError)
            if let people = state.people { list(people, state) } else { unknown(state) }
        }
        .key("blocked").onAppear(.onAppear).onDisappear(.onDisappear)
    }

    private static func list(_ people: [BlockedPerson], _ state: State) -> HTML<Action> {
        guard !people.isEmpty else {
            return p(.class("quiet")) {
                "No one. You can block someone in their contact details."
            }
        }
        return ul(.class("list")) {
            for person in people {
                let name = ProfileRules.displayName(person.name)
                li(.class("row")) {
                    div(.class("grow")) {
                        strong { name }
                        p(.class("hint")) {
                            "Blocked "
                            moment(person.blockedAt, .absolute)
                        }
                    }
                    actionButton(
                        state.unblockWords(person.id),
                        .unblockButtonTapped(person.id)
                    )
                    .attributes(.label("Unblock \(name)"))
                    .disabled(state.unblocking != nil)
                }
                .key("\(person.id)")
            }
        }
        .key("people")
    }

    private static func unknown(_ state: State) -> HTML<Action> {
        guard state.error != nil else { return loadingLine() }
        return actionButton("Load again", .retryButtonTapped)
    }
}
