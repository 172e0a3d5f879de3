import Domain
import Features
import LivePages

extension CheckInFeature {
    static func history(_ state: State) -> HTML<Action> {
        group {
            if state.checkInHistory.isEmpty {
                p(.class("quiet")) { state.emptyHistoryWords }
            }
            checkInList(state.checkInHistory)
            if state.nextHistoryPage != nil {
                actionButton("Show earlier check-ins", .loadMoreHistory).disabled(
                    state.isLoadingHistory)
            }
        }
    }
}

func checkInList<Action>(_ checkIns: [CheckInRecord], _ kind: Attribute = .when) -> HTML<Action> {
    part("list", of: ListedCheckIns(checkIns: checkIns, kind: kind), content: list)
}

private struct ListedCheckIns: Equatable {
    var checkIns: [CheckInRecord]
    var kind: Attribute
}

private func list<Action>(_ listed: ListedCheckIns) -> HTML<Action> {
    ul(.class("list")) {
        for checkIn in listed.checkIns {
            li {
                moment(checkIn.occurredAt, listed.kind)
                if let source = checkIn.sourceWords { p(.class("hint")) { source } }
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
}
