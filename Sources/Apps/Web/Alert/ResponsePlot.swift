import Domain
import Features
import LivePages

/// The time until each alert was taken on: bars, the oldest left, and the same numbers as a table.
func responsePlot<Action>(_ numbers: AlertSummary) -> HTML<Action> {
    guard numbers.acknowledged > 0 else { return .empty }
    return div(.class("stack")) {
        bars(numbers)
        p(.class("hint")) { numbers.plotHint }
        details {
            summary { AlertSummary.tableTitle }
            table {
                caption { AlertSummary.tableCaption }
                thead {
                    tr {
                        th(.plain(.scope, "col")) { "Alert" }
                        th(.plain(.scope, "col")) { "Taken on after" }
                    }
                }
                tbody {
                    for response in numbers.responses {
                        tr {
                            th(.plain(.scope, "row")) { moment(response.startTime, .absolute) }
                            td { response.words }
                        }
                    }
                }
            }
        }
    }
    .key("responses")
}

/// The height of the plot. A bar is 8 wide, in a column of 10.
private let height = 40
/// A plot of few alerts has room for this many bars, so that they don't become broad.
private let leastColumns = 12

/// Written from literals, because the kit has no elements for pictures. All values are numbers.
private func bars<Action>(_ numbers: AlertSummary) -> HTML<Action> {
    let columns = max(leastColumns, numbers.responses.count)
    var pieces: [HTML<Action>] = [
        .raw(#"<svg class="plot" role="img" preserveAspectRatio="none" viewBox="0 0 "#),
        .text("\(columns * 10) \(height)"), .raw(#""><title>"#), .text(numbers.plotWords),
        .raw("</title>"),
    ]
    for (place, response) in numbers.responses.enumerated() {
        let length = max(1, Int((response.share * Double(height)).rounded()))
        let bar: [HTML<Action>] = [
            .raw(#"<rect width="8" x=""#), .text("\(place * 10 + 1)"), .raw(#"" y=""#),
            .text("\(height - length)"), .raw(#"" height=""#), .text("\(length)"),
            .raw(#""/>"#),
        ]
        pieces += bar
    }
    pieces.append(.raw("</svg>"))
    return .fragment(pieces)
}
