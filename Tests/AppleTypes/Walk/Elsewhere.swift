import Domain
import Foundation
import LifeSignalDevice
import TestApp

@testable import UserNotifications

/// The user acts on another device. iOS must then update what it shows outside this phone's app.
@MainActor
func elsewhere(_ walker: Walker) async throws {
    let (phone, app) = (walker.phone, walker.app)
    let center = UNUserNotificationCenter.current()
    try await walker.signIn()
    app.time.pass(.hours(1))
    try await phone.checkInFromWidget()
    let first = app.time.now.adding(.hours(24))
    var wait = await untilMissed(center)
    try expect(
        wait == first.timeIntervalSince(app.time.now) + LocalReminder.patience,
        "a reminder of the deadline that the widget's button set, and not in \(wait ?? 0) s")
    await phone.leave()
    phone.cutConnection()
    let tablet = TestUser("Ana’s tablet", in: app)
    try await tablet.signIn(Walker.number, in: app)
    try await tablet.arrive()

    app.time.pass(.hours(23))
    let late = request("reminder late"), alert = request("alert", category: "acknowledgeAlert")
    let asked = request("asked", category: "respondToPing")
    let due = request("due", category: "checkIn")
    for shown in [late, alert, asked, due] { center.deliver(shown, at: app.time.now) }
    app.time.pass(.minutes(30))
    let checkIn = app.time.now
    await tablet.send(tabs: .home(.checkIn(.checkInButtonTapped)))
    try await tablet.shows("the check-in") {
        $0.tabs?.home.checkIn.lastCheckInTime == checkIn ? true : nil
    }
    app.time.pass(.minutes(1))
    let later = request("later", category: "checkIn")
    center.deliver(later, at: app.time.now)

    // Without a connection, the phone shows its last known data.
    var (isFresh, shown) = await phone.wakeInBackground()
    try expect(!isFresh, "an answer that nothing is new")
    try expect(shown.lastCheckIn != checkIn, "the old check-in")

    phone.cutConnection(false)
    (isFresh, shown) = await phone.wakeInBackground()
    try expect(isFresh, "an answer that something is new")
    let deadline = checkIn.adding(.hours(24))
    shown.clock = nil
    try expect(
        shown == DeadlineSnapshot(lastCheckIn: checkIn, deadline: deadline),
        "the deadline in the widget, which is \(shown)")
    wait = await untilMissed(center)
    try expect(
        wait == deadline.timeIntervalSince(app.time.now) + LocalReminder.patience,
        "“You missed your check-in” a minute after the new deadline, and not in \(wait ?? 0) s")
    let left = await center.deliveredNotifications().map(\.request.identifier)
    try expect(left == ["alert", "later"], "what the check-in has not answered, and not \(left)")
    await tablet.clients.stop()
}

/// Returns the delay of the reminder "You missed your check-in", in seconds; nil if it isn't
/// scheduled.
private func untilMissed(_ center: UNUserNotificationCenter) async -> TimeInterval? {
    let missed = await center.pendingNotificationRequests().first {
        $0.identifier == "\(LocalReminder.mark)deadline"
    }
    return (missed?.trigger as? UNTimeIntervalNotificationTrigger)?.timeInterval
}

private func request(_ id: String, category: String = "") -> UNNotificationRequest {
    let content = UNMutableNotificationContent()
    content.categoryIdentifier = category
    return UNNotificationRequest(identifier: id, content: content, trigger: nil)
}

private func expect(_ isSo: Bool, _ what: String) throws {
    if !isSo { throw NotSeen(what: what, screen: "") }
}
