import Domain
import LivePages

extension EmergencyNumber? {
    /// The emergency number of the country where a phone is registered, with a call. It says no
    /// more than is known: where the phone is now, nobody has told.
    /// - Parameter name: of the person in need; nil for the reader.
    func card<Action>(of name: String?) -> HTML<Action> {
        section(.class("card"), .labelled(by: "emergency-number-title")) {
            heading(name == nil ? 2 : 3)
            if let self {
                let phone = name.map { "\($0)’s phone" } ?? "your phone"
                p { "Emergency number where \(phone) is registered: \(self.text)." }
                a(
                    .class("button wide"), .href(.telephone(self.text)),
                    .label("Call the emergency number \(self.text)")
                ) {
                    icon(.phone)
                    "Call \(self.text)"
                }
            }
            p(.class("hint")) { Self.advice(of: name, isKnown: self != nil) }
        }
        .key("emergency-number")
    }

    private func heading<Action>(_ level: Int) -> HTML<Action> {
        level == 2
            ? h2(.id("emergency-number-title")) { "Emergency services" }
            : h3(.id("emergency-number-title")) { "Emergency services" }
    }

    private static func advice(of name: String?, isKnown: Bool) -> String {
        let call =
            isKnown
            ? "In another country, call the number used there" : "Call your local emergency number"
        return "\(call)\(name.map { ", and say where \($0) is" } ?? "")."
    }
}
