import Domain
import Features
import Foundation
import TestApp

@MainActor
func home(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    phone.look("home")
    try await phone.press("Check in")
    try await phone.see("Checked in at")
    try await phone.hear("Checked in at")
    phone.look("checked-in")
    for (hours, words, name) in [
        (22.5, "Check in soon", "home-warning"), (1.2, "Check in now", "home-critical"),
        (0.5, "You’re overdue", "home-overdue"),
    ] {
        phone.pass(.seconds(hours * 3_600))
        try await phone.see(words)
        phone.look(name)
    }
    try await walker.app.deadlineMonitor.handleDueDeadlines()
    try await phone.see("You missed your check-in")
    phone.look("home-missed")
    try await phone.press("Responders")
    phone.look("responders-missed")
    try await phone.press("Home")
    try await phone.press("Press to tell everyone you’re OK")
    try await phone.miss("You missed your check-in")
    try await phone.press("Schedule")
    try await phone.see("Remind me before the deadline")
    phone.look("schedule")
    try await phone.write("200", into: "Or another number of hours")
    try await phone.see("Enter 1 to 168 hours.")
    phone.look("schedule-refused")
    try await phone.press("Cancel")
    try await phone.press("Show the month")
    try await phone.see("Choose a day to see its check-ins.")
    try await phone.see("late: your check-in ended an alert")
    phone.look("check-ins-month")
    try await phone.press("Show the list")
    try await phone.press("Your code")
    try await phone.see("Which code?")
    try await phone.see("Copy")
    phone.look("code")
    try await phone.choose("For any camera", in: "Which code?")
    try await phone.see("Any camera app opens the link")
    phone.look("code-for-any-camera")
    try await phone.press("Scan someone’s code")
    try await phone.see("Or type the id")
    phone.look("scanner")
    await phone.leave()
}

/// Four taps call for help, a responder answers, and the user ends the alert.
@MainActor
func alert(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    let ben = try await walker.watchOverAna("Ben Okafor")
    let cleo = try await walker.watchOverAna("Maximiliane Schwarzenberger-von der Osten")
    for presses in 1...3 {
        try await phone.press("Alert")
        try await phone.see("\(presses) of 4")
    }
    phone.look("alert-presses")
    try await phone.press("Alert")
    try await phone.see("No one is on it yet")
    phone.look("alert-on")
    for responder in [ben, cleo] {
        let dependent = try await responder.shows("who needs help") { state in
            state.tabs?.dependents.contacts.contacts.first { $0.watch?.status == .alertActive }
        }
        await responder.send(tabs: .dependents(.alertTapped(dependent)))
        await responder.send(tabs: .dependents(.dependentAlert(.presented(.onAppear))))
        try await responder.shows(
            "that they can help",
            that: { $0.tabs?.dependents.dependentAlert?.canAcknowledge == true })
    }
    await ben.send(tabs: .dependents(.dependentAlert(.presented(.acknowledgeButtonTapped))))
    try await phone.see("Ben Okafor is on it")
    phone.look("alert-answered")
    try await phone.press("Responders")
    phone.look("alert-elsewhere")
    try await phone.press("Go to your alert")
    try await ben.shows(
        "that they can report",
        that: { $0.tabs?.dependents.dependentAlert?.canReport(.foundSafe) == true })
    await ben.send(
        tabs: .dependents(.dependentAlert(.presented(.reportButtonTapped(.foundSafe)))))
    await ben.send(
        tabs: .dependents(
            .dependentAlert(.presented(.confirmation(.presented(.reportConfirmed(.foundSafe)))))))
    try await phone.see("Ben Okafor reports that you are safe")
    phone.look("alert-reported")
    try await phone.press("That is not true: alert everyone again")
    try await phone.see("No one is on it yet")
    for responder in [ben, cleo] {
        try await responder.shows(
            "that they can decline",
            that: { $0.tabs?.dependents.dependentAlert?.canDecline == true })
        await responder.send(
            tabs: .dependents(.dependentAlert(.presented(.declineButtonTapped))))
    }
    try await phone.see("Your responders can’t come")
    try await phone.hear("Your responders can’t come")
    phone.look("alert-refused")
    try await phone.press("End it without holding")
    try await phone.see("End your alert?")
    phone.look("alert-question")
    try await phone.press("I am safe, end it")
    try await phone.see("Alert ended.")
    phone.look("alerts")
    phone.pass(.minutes(1))
    phone.cutConnection()
    for _ in 1...4 { try await phone.press("Alert") }
    try await phone.see("will be sent as soon as")
    phone.look("alert-not-sent")
    phone.cutConnection(false)
    try await phone.press("Try now")
    try await phone.see("No one is on it yet")
    await phone.leave()
}

/// A check-in during a call for help ends only the alert about the missed check-in.
@MainActor
func alertAndMissedCheckIn(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    _ = try await walker.watchOverAna("Ben Okafor")
    for _ in 1...4 { try await phone.press("Alert") }
    try await phone.see("No one is on it yet")
    phone.pass(.hours(25))
    try await walker.app.deadlineMonitor.handleDueDeadlines()
    try await phone.see("You missed your check-in")
    phone.look("alert-missed")
    try await phone.press("I am fine: check in")
    try await phone.miss("You missed your check-in")
    try await phone.see("Alert is on")
    await phone.leave()
}

/// A user who can't tap four times in time can choose one tap and a confirmation.
@MainActor
func alertByConfirmation(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    _ = try await walker.watchOverAna("Ben Okafor")
    try await phone.press("Profile")
    try await phone.press("Settings")
    try await phone.press("Press once, then confirm")
    try await phone.press("Home")
    try await phone.see("Call for help: press once, then confirm")
    try await phone.press("Alert")
    try await phone.see("Call for help?")
    try await phone.press("Cancel")
    try await phone.miss("Call for help?")
    try await phone.press("Schedule")
    try await phone.see("Remind me before the deadline")
    try await phone.press("Alert")
    try await phone.press("Call for help now")
    try await phone.press("Go to your alert")
    try await phone.see("No one is on it yet")
    await phone.leave()
}

@MainActor
private func endAlert(on phone: Phone) async throws {
    try await phone.see("No one is on it yet")
    try await phone.press("End it without holding")
    try await phone.press("I am safe, end it")
}

/// On each tab and in the settings, the user can call for help with four taps, and can end the
/// alert.
@MainActor
func alertFromEveryTab(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    _ = try await walker.watchOverAna("Ben Okafor")
    for tab in ["Responders", "I watch over", "Profile", "Settings", "Home"] {
        if tab == "Settings" { try await phone.press("Profile") }
        try await phone.press(tab)
        for _ in 1...4 { try await phone.press("Alert") }
        if tab != "Home" {
            try await phone.see("Your alert is on")
            try await phone.press("Go to your alert")
        }
        try await endAlert(on: phone)
        // The message disappears after its time, even while another screen is open.
        if tab == "Profile" { try await phone.press("Responders") }
        try await phone.miss("Your alert is on")
        try await phone.press("Home")
        try await phone.see("Alert ended.")
    }
    await phone.leave()
}

private typealias Sheet = (tab: String, buttons: [String], words: String)

private let sheets: [Sheet] = [
    ("Home", ["Your code"], "Which code?"),
    // A sheet above another sheet.
    ("Home", ["Your code", "Scan someone’s code"], "Or type the id"),
    ("Home", ["Schedule"], "Remind me before the deadline"),
    ("Home", [ScheduleWords.pause], PauseFeature.State.explanation),
    ("Home", [JourneyWords.title], JourneyWords.explanation),
    ("Home", ["Notifications"], "Unread only"),
    ("Responders", ["Add a responder"], "Or type the id"),
    ("I watch over", ["Ben Okafor: details"], "Remove contact"),
    ("I watch over", ["See Ben Okafor’s alert"], "Ben Okafor needs help"),
    ("Profile", ["Edit name and note"], "Edit profile"),
    ("Profile", ["My QR code"], "Which code?"),
    ("Profile", ["My QR code", "Scan someone’s code"], "Or type the id"),
    ("Profile", ["Change phone number"], "New phone number"),
    ("Profile", ["E-mail"], "E-mail address"),
]

/// Ana watches over Ben, who raises an alert.
@MainActor
private func benInTrouble(_ walker: Walker) async throws -> (alert: AlertID, user: UserID) {
    let phone = walker.phone
    let ben = try await walker.anaWatchesOver("Ben Okafor")
    try await phone.press("I watch over")
    try await phone.press("Ben Okafor: details")
    try await phone.press("Accept")
    try await phone.press("Close")
    for _ in 1...4 { await ben.send(tabs: .home(.alert(.alertButtonTapped))) }
    let alert = try await ben.shows("the alert at the server") { state in
        state.tabs?.home.alert.currentAlert.flatMap { AlertID($0.id) }
    }
    return (alert, try await ben.shows("who Ben is") { $0.tabs?.userID })
}

@MainActor
private func openSheet(_ sheet: Sheet, on phone: Phone) async throws {
    try await phone.press(sheet.tab)
    for button in sheet.buttons { try await phone.press(button) }
    try await phone.see(sheet.words)
}

/// In each sheet, the user can call for help, and reads who else needs help.
@MainActor
func alertFromEverySheet(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    _ = try await walker.watchOverAna("Cleo Ito")
    _ = try await benInTrouble(walker)
    for sheet in sheets {
        // One device can raise an alert every 10 seconds.
        phone.pass(.seconds(15))
        try await openSheet(sheet, on: phone)
        // The alert's own sheet doesn't lead to it.
        if sheet.words == "Ben Okafor needs help" {
            try await phone.miss("See Ben Okafor’s alert")
        } else {
            try await phone.see("Ben Okafor has raised an alert")
        }
        for _ in 1...4 { try await phone.press("Alert") }
        try await phone.see("Your alert is on")
        try await phone.press("Go to your alert")
        try await phone.miss(sheet.words)
        try await endAlert(on: phone)
        try await phone.see("Alert ended.")
    }
    await phone.leave()
}

/// Tapping a notification about an alert opens the alert above any open sheet.
@MainActor
func alertOverEverySheet(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    let (alert, user) = try await benInTrouble(walker)
    for sheet in sheets {
        try await openSheet(sheet, on: phone)
        if sheet.tab == "Profile" {
            phone.open(try link(to: alert))
        } else {
            phone.openMessage(about: alert, of: user)
        }
        try await phone.see("Ben Okafor needs help")
        if sheet.words != "Ben Okafor needs help" { try await phone.miss(sheet.words) }
        try await phone.press("Close")
        try await phone.miss("Ben Okafor needs help")
    }
    await phone.leave()
}

private func link(to alert: AlertID) throws -> URL {
    guard let url = URL(string: "https://lifesignal.example/alerts/\(alert)") else {
        throw NotSeen(what: "a link", screen: "")
    }
    return url
}

/// A check-in that is made offline is sent later, without any action by the user.
@MainActor
func offline(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    phone.cutConnection()
    phone.pass(.hours(1))
    try await phone.press("Check in")
    try await phone.see("1 waiting")
    try await phone.miss("Checking in …")
    phone.look("offline-waiting")
    phone.cutConnection(false)
    try await phone.press("Try now")
    try await phone.miss("waiting")
    await phone.leave()
}
