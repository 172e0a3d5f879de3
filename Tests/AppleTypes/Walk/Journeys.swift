import Clients
import ComposableArchitecture
import Domain
import Foundation
import TestApp

/// The user starts a journey, comes back late, and ends the next one from the widget.
@MainActor
func journey(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    _ = try await walker.watchOverAna("Ben Okafor")
    try await phone.miss("Add someone")
    try await start(phone)
    phone.look("journey")
    try await phone.press("30 minutes more")
    try await phone.press("Choose another return")
    try await phone.press("In 2 hours")
    try await phone.press("Change the return")
    try await phone.miss("In 2 hours")
    phone.pass(.hours(3))
    try await walker.app.deadlineMonitor.handleDueDeadlines()
    try await phone.see("You are not back from Zugspitze")
    phone.look("journey-overdue")
    try await phone.press("Responders")
    phone.look("journey-elsewhere")
    try await phone.press("I have arrived")
    try await phone.miss("You are not back from Zugspitze")
    try await phone.press("Home")
    try await start(phone)
    try await phone.arriveFromWidget()
    try await phone.see("Start a journey")
    await phone.leave()
}

@MainActor
private func start(_ phone: Phone) async throws {
    try await phone.press("Start a journey")
    try await phone.write("Zugspitze", into: "Where you go")
    try await phone.press("Start the journey")
    try await phone.see("Back by")
}

@MainActor
func watchedJourney(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    let ben = try await walker.anaWatchesOver("Ben Okafor")
    try await phone.press("I watch over")
    try await phone.press("Ben Okafor: details")
    try await phone.press("Accept")
    try await phone.press("Close")
    var clients = DependencyValues()
    ben.clients.install(in: &clients)
    let draft = JourneyDraft(
        id: JourneyID(UUID()), name: "Zugspitze",
        expectedReturn: walker.app.time.now.adding(.hours(1)), note: "The blue car.",
        tellsResponders: true)
    _ = try await clients.journeyClient.start(draft)
    try await phone.see("Zugspitze, back by")
    phone.look("dependents-journey")
    phone.pass(.hours(2))
    try await walker.app.deadlineMonitor.handleDueDeadlines()
    try await phone.see("Ben Okafor is not back from Zugspitze")
    phone.look("dependents-journey-overdue")
    try await phone.press("See Ben Okafor’s alert")
    try await phone.see("The blue car.")
    phone.look("dependent-alert-journey")
    for _ in 1...4 { await ben.send(tabs: .home(.alert(.alertButtonTapped))) }
    try await phone.see("Ben Okafor has also raised an alert. No one is on it yet.")
    phone.look("dependent-alert-two")
    try await phone.press("See that alert: Alert raised by hand")
    try await phone.see("Ben Okafor needs help")
    try await phone.press("I’m on it")
    try await phone.hear("You are on it")
    try await phone.press("See that alert: Overdue journey")
    try await phone.see("Ben Okafor has also raised an alert. You are on it.")
    await phone.leave()
}
