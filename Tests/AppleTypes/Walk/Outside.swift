import Clients
import ComposableArchitecture
import Domain
import Foundation
import LifeSignalDevice
import TestApp
import UserNotifications

@testable import LifeSignalApp

/// A notification's buttons claim only what the server has done. iOS launches the app for each
/// press.
@MainActor
func buttons(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    let ben = try await walker.anaWatchesOver("Ben Okafor")
    try await phone.press("I watch over")
    try await phone.press("Ben Okafor: details")
    try await phone.press("Accept")
    try await phone.press("Close")
    let cleo = try await walker.watchOverAna("Cleo Tan")
    let ana = try phone.userID()
    await phone.leave()
    let changed = "Nothing was changed", tap = "Tap to see how things are."

    var helped = DependencyValues()
    ben.clients.install(in: &helped)
    let alert = AlertID(UUID())
    _ = try await helped.alertClient.raise(id: alert)
    let call = try message(to: ana, ["alertID": "\(alert)"])
    try await press(
        .acknowledgeAlert, of: call, on: phone,
        shows: "You are on it: Tap to open the alert and call.")
    phone.cutConnection()
    try await press(
        .acknowledgeAlert, of: call, on: phone,
        shows: "NOT SENT: I’m on it: Open LifeSignal to try again.")
    let otherCall = try message(to: ana, ["alertID": "\(AlertID(UUID()))"])
    for missed in [call, otherCall] {
        try await perform(.acknowledgeAlert, of: missed, on: phone)
    }
    let notSent = "NOT SENT: I’m on it"
    var notices = await titles()
    try expect(notices == [notSent, notSent], "both, not \(notices)")
    phone.cutConnection(false)
    try await perform(.acknowledgeAlert, of: call, on: phone)
    notices = await titles()
    try expect(notices == [notSent, "You are on it"], "the result of each, not \(notices)")
    _ = await takeResult()
    _ = try await helped.alertClient.end(id: alert)
    for action in [PushAction.acknowledgeAlert, .declineAlert] {
        try await press(
            action, of: call, on: phone, shows: "\(changed): This alert has ended. \(tap)")
    }

    var asking = DependencyValues()
    cleo.clients.install(in: &asking)
    let first = try await ping(ana, asking)
    try await press(
        .respondToPing, of: try message(to: ana, ["pingID": "\(first)"]), on: phone,
        shows: "Your answer is sent")
    let second = try await ping(ana, asking)
    try await asking.pingClient.clearPing(id: ana)
    try await press(
        .respondToPing, of: try message(to: ana, ["pingID": "\(second)"]), on: phone,
        shows: "\(changed): This question is no longer open. \(tap)")

    let other = try message(to: ana, ["id": "\(NotificationID(UUID()))"])
    try await press(
        .checkIn, of: other, on: phone,
        shows: "You are checked in: Your next check-in is due in 24 hours.")
    try await press(
        .arrived, of: other, on: phone, shows: "\(changed): This journey is over. \(tap)")
    phone.cutConnection()
    try await press(
        .arrived, of: other, on: phone,
        shows: "NOT SENT: I have arrived: Open LifeSignal to try again.")
    phone.cutConnection(false)
    try await press(
        .confirmDrill, of: other, on: phone, shows: "\(changed): The drill is over. \(tap)")
    try await press(
        .checkIn, of: try message(to: UserID(UUID()), [:]), on: phone,
        shows: "NOT SENT: I’m fine: This was for someone who is not signed in here.")
}

/// The widget's buttons and Siri work in an app that iOS has just launched, and without a
/// connection they leave their action to iOS.
@MainActor
func outside(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    _ = try await walker.code()
    await phone.leave()
    walker.app.time.pass(.hours(1))
    let record = try await phone.launched { try await CheckInAction.perform() }
    try expect(record.occurredAt == walker.app.time.now, "a check-in by the widget")
    do {
        _ = try await phone.launched {
            try await OutsidePress.perform(.arrived, isAppActive: { false }) {
                try await JourneyAction.arrive()
                return ""
            }
        }
        throw NotSeen(what: "that there is no journey", screen: "")
    } catch let error as SpokenError {
        try expect(error.words == "You are not on a journey.", "no journey, not \(error.words)")
    }
    let refusal = await takeResult()
    try expect(
        refusal?.words == "Nothing was changed: You are not on a journey.",
        "a notification about no journey, not \(refusal?.words ?? "none")")
    try expect(phone.sender.paths.isEmpty, "nothing that iOS has to send")

    phone.cutConnection()
    for isActive in [true, false] { try await missPress(on: phone, isAppActive: isActive) }
    try expect(phone.sender.paths == ["v1/check-ins"], "the check-in, which iOS sends")
    var words = try await phone.launched { try await IntentActions.raiseAlert() }
    let both = ["v1/alerts", "v1/check-ins"]
    try expect(
        words.hasPrefix("Your alert will be sent") && phone.sender.paths == both,
        "the alert, which iOS sends, not \(words)")
    await phone.sender.replace(with: [])
    _ = await phone.wakeInBackground()
    try expect(phone.sender.paths == both, "what iOS sends after a silent message")
    phone.cutConnection(false)
    _ = await phone.wakeInBackground()
    try expect(phone.sender.paths.isEmpty, "nothing that iOS still has to send")
    words = try await phone.launched { try await IntentActions.raiseAlert() }
    try expect(
        words == """
            Your alert was sent. No one is told: you have no responders. Call for help directly.
            """,
        "that no one is told, not \(words)")
    // The phone's copy lacks the responder.
    _ = try await walker.watchOverAna("Ben Okafor")
    walker.app.time.pass(.minutes(1))
    words = try await phone.launched { try await IntentActions.raiseAlert() }
    try expect(
        words == """
            Your alert was sent. No one is on it yet. No message reaches your responders. Call \
            for help directly.
            """,
        "that no message reaches responders, not \(words)")
}

/// Presses "Check in" on the widget without a connection. The widget shows no error, so a
/// notification says that the check-in waits.
@MainActor
private func missPress(on phone: Phone, isAppActive: Bool) async throws {
    do {
        _ = try await phone.launched {
            try await OutsidePress.perform(.checkIn, isAppActive: { isAppActive }) {
                try await CheckInAction.perform().spokenWords
            }
        }
        throw NotSeen(what: "that the check-in waits", screen: "")
    } catch let error as SpokenError {
        try expect(error.words.hasPrefix("Not sent yet. "), "that it waits, not \(error.words)")
    }
    let shown = await takeResult()
    let notice = "NOT SENT: I’m fine: \(AppWords.checkInWaits)"
    try expect(
        shown?.words == (isAppActive ? nil : notice), "the notice, not \(shown?.words ?? "none")")
}

/// Siri's answer about a dependent says how old it is, and doesn't claim what only the clock says.
@MainActor
func spokenStatus(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    let ben = try await walker.anaWatchesOver("Ben Okafor")
    try await phone.press("I watch over")
    try await phone.press("Ben Okafor: details")
    try await phone.press("Accept")
    try await phone.press("Close")
    let user = try await ben.shows("who Ben is") { $0.tabs?.userID }
    let id = user.description
    await phone.leave()
    var words = try await phone.launched { try await IntentActions.status(of: id) }
    try expect(words.hasPrefix("Ben Okafor: Fine. Last check-in "), "Ben's status, not \(words)")
    phone.cutConnection()
    words = try await phone.launched { try await IntentActions.status(of: id) }
    try expect(words.hasPrefix("Ben Okafor: Fine, as of "), "the status with its age, not \(words)")
    walker.app.time.pass(.hours(24))
    words = try await phone.launched { try await IntentActions.status(of: id) }
    try expect(
        words.hasPrefix("Ben Okafor: Overdue, not confirmed. "),
        "a status that only the clock has changed, not \(words)")
}

private func expect(_ isSo: Bool, _ what: String) throws {
    if !isSo { throw NotSeen(what: what, screen: "") }
}

private func message(to user: UserID, _ fields: [String: String]) throws -> PushMessage {
    let all = fields.merging(["recipientID": "\(user)"]) { $1 }
    guard let message = PushMessage(["lifesignal": all]) else {
        throw NotSeen(what: "a message", screen: "")
    }
    return message
}

private func ping(_ user: UserID, _ clients: DependencyValues) async throws -> PingID {
    guard let ping = try await clients.pingClient.pingDependent(id: user).confirmed else {
        throw NotSeen(what: "a ping at the server", screen: "")
    }
    return ping.id
}

@MainActor
private func press(
    _ action: PushAction, of message: PushMessage, on phone: Phone, shows words: String
) async throws {
    try await perform(action, of: message, on: phone)
    let shown = await takeResult()
    if shown?.words != words { throw NotSeen(what: words, screen: shown?.words ?? "") }
    let hasNoEffect = words.hasPrefix("NOT SENT") || words.hasPrefix("Nothing was changed")
    try expect(shown?.isTimeSensitive == hasNoEffect, "in a Focus what had no effect: \(words)")
}

@MainActor
private func perform(
    _ action: PushAction, of message: PushMessage, on phone: Phone
) async throws {
    let now = phone.app.time.now
    try await phone.launched {
        await NotificationTapHandler { _ in }.perform(action, of: message, shownAt: now)
    }
}

/// The notifications about presses, oldest first.
private func results() async -> [UNNotificationRequest] {
    await UNUserNotificationCenter.current().pendingNotificationRequests().filter {
        !$0.identifier.hasPrefix(LocalReminder.mark)
    }
}

private func titles() async -> [String] { await results().map(\.content.title) }

/// Returns the text of the notification about the last press, and whether a Focus lets it through.
/// Removes all of them.
private func takeResult() async -> (words: String, isTimeSensitive: Bool)? {
    let center = UNUserNotificationCenter.current()
    let shown = await results()
    center.removePendingNotificationRequests(withIdentifiers: shown.map(\.identifier))
    guard let content = shown.last?.content as? UNMutableNotificationContent else { return nil }
    let words = [content.title, content.body].filter { !$0.isEmpty }.joined(separator: ": ")
    return (words, content.interruptionLevel == .timeSensitive)
}
