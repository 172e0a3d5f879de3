import Domain
import Features
import Foundation
import LivePages

func responders(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    let people = state.responders.sortedResponders
    let isOnItsTab = state.selectedTab == .responders && !state.isNotificationCentrePresented
    guard !people.isEmpty, !isOnItsTab else { return .empty }
    return aside(.class("beside"), .labelled(by: "beside-title")) {
        section(.class("card")) {
            h2(.id("beside-title")) { "Your responders" }
            ul(.class("list")) {
                for contact in people {
                    part("\(contact.id)", of: ListedResponder(contact), content: line)
                }
            }
            .key("people")
        }
    }
    .key("beside")
}

/// What the list shows of a responder.
private struct ListedResponder: Equatable {
    var name: String
    var picture: URL?
    var request: String?

    init(_ contact: ContactData) {
        name = ProfileRules.displayName(contact.name)
        picture = contact.profilePictureURL
        request = contact.request(.responder)?.words
    }
}

private func line(_ responder: ListedResponder) -> HTML<MainTabFeature.Action> {
    li(.class("row")) {
        personPicture(responder.name, url: responder.picture)
        div(.class("grow")) {
            strong { responder.name }
            if let request = responder.request { p(.class("hint")) { request } }
        }
    }
}
