import Domain
import Features
import SwiftUI

/// The user's alerts that were on when another device ended the session, or the end of one by
/// another device, with calls to the responders and to the emergency services.
struct OpenAtSignOutNotice: View {
    let open: OpenAtSignOut

    var body: some View {
        Card(tone: .critical) {
            ForEach(open.alerts) { alert in
                Text(verbatim: "\(alert.words) ") + .moment(open.asOf) + Text(verbatim: ".")
                if let words = alert.helperWords { Text(words) }
            }
            if let end = open.ended {
                Text(verbatim: "\(end.title), ") + .moment(end.time) + Text(verbatim: ".")
                Text(EndElsewhere.signedOutAdvice)
            }
            ForEach(open.responders) { responder in
                Text(responder.name).bold()
                CallLink(number: responder.number, name: responder.name)
            }
        }
        EmergencyNumberCard(number: open.emergency, name: nil)
    }
}
