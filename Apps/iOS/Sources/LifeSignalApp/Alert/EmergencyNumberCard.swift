import Domain
import Features
import SwiftUI

/// The emergency number of the country where the phone number is registered, with a button that
/// calls it. The text doesn't say where the phone is now, because the server doesn't know.
struct EmergencyNumberCard: View {
    let number: EmergencyNumber?
    /// The name of the person in need; nil if the reader is that person.
    let name: String?

    var body: some View {
        Card {
            Heading("Emergency services")
            if let words = number.words(of: name) { Text(words) }
            if let number {
                if let url = number.callURL {
                    Link(destination: url) {
                        HStack(spacing: 8) {
                            Symbol.phone.picture
                            Text("Call \(number.text)")
                        }
                        .frame(maxWidth: .infinity, minHeight: 44)
                    }
                    .buttonStyle(.bordered)
                    .accessibilityLabel("Call the emergency number \(number.text)")
                }
            }
            Quiet(number.advice(of: name))
        }
    }
}
