import Clients
import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

/// A person's picture, or their initials. VoiceOver skips it, because the name is beside it.
struct PersonPicture: View {
    let name: String
    let url: URL?
    var isLarge = false
    @State private var picture: UIImage?
    @ScaledMetric private var side: CGFloat = 44

    init(_ name: String, url: URL?, isLarge: Bool = false) {
        (self.name, self.url, self.isLarge) = (name, url, isLarge)
    }

    var body: some View {
        ZStack {
            if let picture {
                Image(uiImage: picture).resizable().scaledToFill()
            } else {
                Text(initials(of: name)).bold().foregroundStyle(Color.brand)
            }
        }
        .frame(width: isLarge ? side * 2 : side, height: isLarge ? side * 2 : side)
        .background(Color.sunken, in: .circle)
        .clipShape(.circle)
        .accessibilityHidden(true)
        .task(id: url) { picture = await Self.load(url) }
    }

    /// Returns nil if the picture can't be loaded, for example offline. The initials then stay.
    private static func load(_ url: URL?) async -> UIImage? {
        @Dependency(\.storageClient) var storageClient
        guard let url, let bytes = try? await storageClient.picture(url: url) else { return nil }
        return UIImage(data: bytes)
    }
}

struct ContactHead<Status: View>: View {
    let contact: ContactData
    let select: @MainActor () -> Void
    @ViewBuilder var status: Status

    var body: some View {
        let name = ProfileRules.displayName(contact.name)
        HStack(alignment: .top, spacing: 12) {
            PersonPicture(name, url: contact.profilePictureURL)
            VStack(alignment: .leading, spacing: 4) {
                Button(action: select) { Text(name).font(.headline) }
                    .buttonStyle(.plain)
                    .accessibilityLabel("\(name): details")
                status
            }
        }
    }
}

/// A dependent's status, with its age while the device is offline: "Fine as of 14:05". During a
/// pause, its end replaces "Fine". If the deadline passes while the device is offline, the status
/// is "Overdue, not confirmed".
struct WatchPill: View {
    let watch: ContactData.WatchedState?
    let knownUntil: Date?

    /// - Parameter knownUntil: when the device last heard from the server; nil while the server is
    ///   reachable.
    init(_ watch: ContactData.WatchedState?, knownUntil: Date?) {
        (self.watch, self.knownUntil) = (watch, knownUntil)
    }

    var body: some View {
        let status = watch?.status ?? .active
        if watch?.isUnconfirmed(knownUntil: knownUntil) == true {
            StatusPill(ContactData.overdueWords, .critical)
        } else if status == .active, let end = watch?.shownPause {
            StatusPill(dated(.paused(until: end)), .warning)
        } else {
            StatusPill(
                dated(Text(watch?.noDeadlineStatus ?? status.words)), watch?.statusTone ?? .normal)
        }
    }

    private func dated(_ words: Text) -> Text {
        guard let knownUntil else { return words }
        return words + Text(verbatim: " ") + Text("as of") + Text(verbatim: " ")
            + .moment(knownUntil)
    }
}

extension ContactData.WatchedState {
    /// The end of the pause, unless it has passed since the device last heard from the server.
    var shownPause: Date? { pausedUntil.flatMap { $0 > Date.now.onServerClock ? $0 : nil } }

    /// True if only the clock says that the person is overdue.
    /// - Parameter knownUntil: when the device last heard from the server, by the server's clock;
    ///   nil while the server is reachable.
    func isUnconfirmed(knownUntil: Date?) -> Bool {
        isUnconfirmed(knownUntil: knownUntil, at: Date.now.onServerClock)
    }

    /// What replaces "Fine" for a person who owes no check-in.
    var noDeadlineStatus: String? { status == .active ? noDeadlineWords : nil }

    /// What replaces the time of a deadline if there is none.
    var noDeadlineWords: String? {
        plan?.kind == CheckInPlan.Kind.none ? ScheduleWords.noDeadlines : nil
    }
}

/// The person's journey, if they tell the user of it.
struct JourneyFact: View {
    let watch: ContactData.WatchedState?

    var body: some View {
        if let journey = watch?.journey {
            let time = journey.expectedReturn
            Fact(
                JourneyWords.onAJourney,
                Text("\(JourneyWords.watched(journey)) ") + .moment(time) + .theirs(time, watch))
        }
    }
}

struct RequestPill: View {
    let request: RoleRequest

    var body: some View {
        StatusPill(request.words, request.tone)
    }
}

/// The result of adding a contact. The sheet shows failures, and then stays open.
struct ContactNotices: View {
    let alerts: RespondersFeature.State.AlertState
    let dismiss: @MainActor () -> Void

    var body: some View {
        if let words = alerts.words {
            let isComplete = alerts.isAdditionComplete
            Banner(isComplete ? .fine : .plain, isComplete ? .check : .profile) {
                Text(words)
                Button("OK", action: dismiss).buttonStyle(.borderless)
            }
            .announced(words)
            .dismissed(after: .seconds(10), dismiss)
        }
    }
}

/// A link that opens a prepared text message about the user's alert. Used when the app can't send
/// the alert.
struct TextLink: View {
    let number: PhoneNumber
    let name: String

    var body: some View {
        if let url = number.textURL(AlertFeature.textMessage) {
            Link(destination: url) {
                Text("Text").frame(maxWidth: .infinity, minHeight: 44)
            }
            .buttonStyle(.bordered)
            .accessibilityLabel("Text \(name), \(number.text)")
        }
    }
}

struct CallLink: View {
    let number: PhoneNumber
    let name: String

    var body: some View {
        if let url = number.callURL {
            Link(destination: url) {
                HStack(spacing: 8) {
                    Symbol.phone.picture
                    Text("Call")
                }
                .frame(maxWidth: .infinity, minHeight: 44)
            }
            .buttonStyle(.bordered)
            .accessibilityLabel("Call \(name), \(number.text)")
        }
    }
}
