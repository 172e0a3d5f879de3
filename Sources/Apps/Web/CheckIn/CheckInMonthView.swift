import Domain
import Features
import LivePages

extension CheckInMonthFeature {
    static func view(_ state: State, _ calendar: CheckInMonth) -> HTML<Action> {
        div(.class("stack")) {
            errorNotice(state.error, dismiss: .dismissError)
            div(.class("bar")) {
                button(.type("button"), .label(state.previousLabel)) {
                    icon(.back)
                    state.month.previous.name
                }
                .onTap(.previousMonthTapped)
                .disabled(!state.hasPrevious)
                announcement(.polite) { strong { state.month.words } }
                button(.type("button"), .label(state.nextLabel)) {
                    state.month.next.name
                    icon(.forward)
                }
                .onTap(.nextMonthTapped)
                .disabled(!state.hasNext)
            }
            grid(calendar, chosen: state.chosenDay)
            legend(calendar)
            if let words = state.zoneWords { p(.class("hint")) { words } }
            if let words = state.statusWords { p(.class("quiet")) { words } }
            if state.canLoadMore { actionButton(State.loadMoreWords, .loadMoreTapped) }
            checkIns(of: calendar.day(state.chosenDay), in: calendar)
        }
        .key("month")
    }

    private static func grid(_ calendar: CheckInMonth, chosen: Int?) -> HTML<Action> {
        table(.class("month")) {
            caption(.class("unseen")) { "Check-ins in \(calendar.month.words)" }
            thead {
                tr {
                    for weekday in Weekday.allCases {
                        th(.plain(.scope, "col"), .label(weekday.word)) { weekday.shortWord }
                    }
                }
            }
            tbody {
                for week in calendar.weeks {
                    tr {
                        for day in week { td { cell(day, of: calendar, chosen: chosen) } }
                    }
                }
            }
        }
        .key("grid")
    }

    /// A day that can be chosen, unless nothing is known about it. Empty for nil.
    private static func cell(
        _ day: CheckInMonth.Day?, of calendar: CheckInMonth, chosen: Int?
    ) -> HTML<Action> {
        guard let day else { return .empty }
        let look = Attribute.class(
            "day", day.mark.rawValue, day.isToday ? "today" : "", day.canBeChosen ? "" : "quiet")
        guard day.canBeChosen else {
            return span(look) {
                span(.aria("hidden", "true")) { "\(day.number)" }
                span(.class("unseen")) { day.words(in: calendar.month) }
                span(.aria("hidden", "true")) { day.mark.symbol }
            }
        }
        return button(
            .type("button"), look, .label(day.words(in: calendar.month)),
            .pressed(day.number == chosen)
        ) {
            span { "\(day.number)" }
            span(.aria("hidden", "true")) { day.mark.symbol }
        }
        .onTap(.dayTapped(day.number))
    }

    private static func legend(_ calendar: CheckInMonth) -> HTML<Action> {
        ul(.class("hint")) {
            for mark in calendar.legend {
                li {
                    span(.aria("hidden", "true")) { "\(mark.symbol) " }
                    mark.explanation
                }
            }
        }
    }

    private static func checkIns(
        of day: CheckInMonth.Day?, in calendar: CheckInMonth
    ) -> HTML<Action> {
        group {
            announcement(.polite) {
                if let day {
                    h3 { day.words(in: calendar.month) }
                } else {
                    p(.class("hint")) { State.chooseWords }
                }
            }
            if let day {
                if day.checkIns.isEmpty { p(.class("quiet")) { State.noCheckInsWords } }
                checkInList(day.checkIns, .absolute)
            }
        }
    }
}
