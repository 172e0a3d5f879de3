import Domain
import Features
import LivePages

func contactHead<Action>(
    _ contact: ContactData, select: Action, @HTMLBuilder<Action> status: () -> HTML<Action>
) -> HTML<Action> {
    let name = ProfileRules.displayName(contact.name)
    let status = status()
    return div(.class("contact-head")) {
        personPicture(name, url: contact.profilePictureURL)
        div(.class("grow")) {
            h3 {
                button(.type("button"), .class("contact-name"), .label("\(name): details")) { name }
                    .onTap(select)
            }
            status
        }
    }
}

func requestPill<Action>(_ request: RoleRequest) -> HTML<Action> {
    statusPill(request.words, request.tone)
}

/// The result after a contact was added. The sheet shows failures, and then stays open.
func contactNotices<Action>(_ alerts: RespondersFeature.State.AlertState, dismiss: Action) -> HTML<
    Action
> {
    announcement(.polite, .class("notice")) {
        if let words = alerts.words {
            div(.class("banner", alerts.isAdditionComplete ? "fine" : "")) {
                icon(alerts.isAdditionComplete ? .check : .profile)
                span(.class("grow")) { words }
                actionButton("OK", class: "plain", dismiss).attributes(
                    .pressesItself(after: .seconds(10)))
            }
        }
    }
}
