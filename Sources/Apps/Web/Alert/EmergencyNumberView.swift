import Domain
import Features
import LivePages

extension EmergencyNumber? {
    /// The emergency number of the country where a phone is registered, with a call. It says no
    /// more than is known: where the phone is now, nobody has told.
    /// - Parameter name: of the person in need; nil for the reader.
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
