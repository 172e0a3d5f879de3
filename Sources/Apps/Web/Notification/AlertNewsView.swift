import ComposableArchitecture
import Domain
import Features
import LivePages

extension AlertNewsFeature {
    /// Announces the end of another person's alert on every page. Green, without the red triangle
    /// of an open alert.
    static func view(
        _ state: State, contacts: IdentifiedArrayOf<ContactData>
    ) -> HTML<Action> {
        announcement(.polite, .class("notice")) {
            for end in state.news {
                let name = ProfileRules.displayName(contacts[id: end.user]?.name ?? "")
                let words = endWords(end.kind, name)
                div(.class("banner fine")) {
                    icon(.check)
                    span(.class("grow")) {
                        strong { words }
                        end.timeTitle
                        moment(end.time, .absolute)
                    }
                    actionButton("OK", class: "plain", .dismissButtonTapped(end.id))
                        .attributes(.label("OK: \(words)"))
                }
                .key("\(end.id)")
            }
        }
        .key("alert-news")
    }
}

extension AlertNewsFeature.Standing {
    /// The icon of the news; nil for the icon of the notification's type.
    var icon: Icon? {
        switch self {
        case .current: nil
        case .past: .bell
        case .end: .check
        }
    }
}
