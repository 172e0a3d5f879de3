import Domain
import Features
import SwiftUI

/// The user's alerts that were on when another device ended the session, with calls to the
/// responders and to the emergency services.
struct OpenAtSignOutNotice: View {
    let open: OpenAtSignOut

    var body: some View {
        Card(tone: .critical) {
            ForEach(open.alerts) { alert in
                Text(verbatim: "\(alert.words) ") + .moment(open.asOf) + Text(verbatim: ".")
                if let words = alert.helperWords { Text(words) }
            }
            ForEach(open.responders) { responder in
                Text(responder.name).bold()
                CallLink(number: responder.number, name: responder.name)
            }
        }
        EmergencyNumberCard(number: open.emergency, name: nil)
    }
}
