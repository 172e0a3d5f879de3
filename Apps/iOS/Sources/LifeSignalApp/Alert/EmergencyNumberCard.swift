import Domain
import Features
import SwiftUI

/// The emergency number of the country where a phone is registered, with a call. It says no more
/// than is known: where the phone is now, nobody has told.
struct EmergencyNumberCard: View {
    let number: EmergencyNumber?
    /// Of the person in need; nil for the reader.
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
