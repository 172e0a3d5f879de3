import Domain
import Features
import LivePages

extension EmergencyNumber? {
    /// The emergency number of the country where the phone number is registered, with a button that
    /// calls it. The text doesn't say where the phone is now, because the server doesn't know.
    /// - Parameter name: the name of the person in need; nil if the reader is that person.
    func card<Action>(of name: String?) -> HTML<Action> {
        section(.class("card"), .labelled(by: "emergency-number-title")) {
            heading(name == nil ? 2 : 3)
            if let words = words(of: name), let self {
                p { words }
                a(
                    .class("button wide"), .href(.telephone(self.text)),
                    .label("Call the emergency number \(self.text)")
                ) {
                    icon(.phone)
                    "Call \(self.text)"
                }
            }
            p(.class("hint")) { advice(of: name) }
        }
        .key("emergency-number")
    }

    private func heading<Action>(_ level: Int) -> HTML<Action> {
        level == 2
            ? h2(.id("emergency-number-title")) { "Emergency services" }
            : h3(.id("emergency-number-title")) { "Emergency services" }
    }
}
