import Domain
import Foundation
import LivePages

/// "5 minutes ago · 10:02", in the viewer's time zone. The browser keeps it up to date.
func when<Action>(_ date: Date) -> HTML<Action> { moment(date, .when) }

/// A time that concerns another person. Adds the time in their zone if it differs.
func moment<Action>(
    _ date: Date, _ kind: Attribute, of watch: ContactData.WatchedState?
) -> HTML<Action> {
    let time: HTML<Action> = moment(date, kind)
    return watch?.timeZone.map { time.attributes(.theirZone($0)) } ?? time
}

func fact<Action>(_ name: String, @HTMLBuilder<Action> value: () -> HTML<Action>) -> HTML<Action> {
    let value = value()
    return div(.class("fact")) {
        dt { name }
        dd { value }
    }
}
