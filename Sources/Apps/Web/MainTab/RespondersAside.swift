import Domain
import Features
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
                    let name = ProfileRules.displayName(contact.name)
                    li(.class("row")) {
                        personPicture(name, url: contact.profilePictureURL)
                        div(.class("grow")) {
                            strong { name }
                            if let request = contact.request(.responder) {
                                p(.class("hint")) { request.words }
                            }
                        }
                    }
                    .key("\(contact.id)")
                }
            }
            .key("people")
        }
    }
    .key("beside")
}
