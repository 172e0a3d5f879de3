import Domain
import Features
import LivePages

/// The user's alerts that were on when another device ended the session, or the end of one by
/// another device, with calls to the responders and to the emergency services. Empty for nil.
func openAtSignOut(_ open: OpenAtSignOut?) -> HTML<AppFeature.Action> {
    guard let open else { return .empty }
    return announcement(.assertive, .class("notice")) {
        // device.js keeps the card by this id.
        div(
            .id("open-at-sign-out"), .class("card critical stack"), .plain(.tabindex, "-1"),
            .focusWhenShown
        ) {
            for alert in open.alerts {
                p(.class("row")) {
                    icon(.alert)
                    span(.class("grow")) {
                        strong {
                            "\(alert.words) "
                            moment(open.asOf, .absolute)
                            "."
                        }
                        if let words = alert.helperWords { " \(words)" }
                    }
                }
            }
            if let end = open.ended {
                p(.class("row")) {
                    icon(.alert)
                    span(.class("grow")) {
                        strong {
                            "\(end.title), "
                            moment(end.time, .absolute)
                            "."
                        }
                        " \(EndElsewhere.signedOutAdvice)"
                    }
                }
            }
            for responder in open.responders {
                callLink(responder.number, responder.name, class: "wide", words: responder.name)
            }
            if let words = open.emergency.words(of: nil) { p { words } }
            if let number = open.emergency {
                a(
                    .class("button wide"), .href(.telephone(number.text)),
                    .label("Call the emergency number \(number.text)")
                ) {
                    icon(.phone)
                    "Call \(number.text)"
                }
            }
            p(.class("hint")) { open.emergency.advice(of: nil) }
        }
    }
    .key("open-at-sign-out")
}
