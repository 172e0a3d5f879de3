import Foundation
import LivePages

/// "5 minutes ago · 10:02", in the viewer's zone and kept up to date by the browser.
func when<Action>(_ date: Date) -> HTML<Action> { moment(date, .when) }

/// A line of a list of facts: what it is, and what it says.
func fact<Action>(_ name: String, @HTMLBuilder<Action> value: () -> HTML<Action>) -> HTML<Action> {
    let value = value()
    return div(.class("fact")) {
        dt { name }
        dd { value }
    }
}
