import Domain
import Features
import LivePages

/// The upper part of a contact's card: picture, name, which opens the contact, and how they are.
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

/// Tells who has to answer a request.
func requestPill<Action>(_ request: RoleRequest) -> HTML<Action> {
    statusPill(request.words, request.tone)
}

/// The result of adding a contact. Failures are shown in the sheet, which is still open.
func contactNotices<Action>(_ alerts: RespondersFeature.State.AlertState, dismiss: Action) -> HTML<
    Action
> {
    announcement(.polite, .class("notice")) {
        if let words = alerts.words {
            div(.class("banner", alerts.contactAdded ? "fine" : "")) {
                icon(alerts.contactAdded ? .check : .profile)
                span(.class("grow")) { words }
                actionButton("OK", class: "plain", dismiss).attributes(
                    .pressesItself(after: .seconds(10)))
            }
        }
    }
}
