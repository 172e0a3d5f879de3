import Domain
import Features
import LivePages

extension CheckInFeature {
    static func history(_ state: State) -> HTML<Action> {
        details(.class("card")) {
            summary { h2 { "Your check-ins" } }
            if state.checkInHistory.isEmpty {
                p(.class("quiet")) { state.emptyHistoryWords }
            }
            ul(.class("list")) {
                for checkIn in state.checkInHistory {
                    li {
                        when(checkIn.occurredAt)
                        if checkIn.cameLate {
                            p(.class("hint")) {
                                "Received at "
                                moment(checkIn.receivedAt, .absolute)
                            }
                        }
                    }
                    .key(checkIn.id.description)
                }
            }
            .key("list")
            if state.nextHistoryPage != nil {
                actionButton("Show earlier check-ins", .loadMoreHistory).disabled(
                    state.isLoadingHistory)
            }
        }
        .key("check-ins")
    }
}
