/// Checking in, its schedule, and the own code.
@MainActor
func home(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    phone.look("home")
    try await phone.press("Check in")
    try await phone.see("Checked in at")
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
    try await phone.press("Your code")
    try await phone.see("Which code?")
    try await phone.see("Copy")
    phone.look("code")
    try await phone.choose("For any camera", in: "Which code?")
    try await phone.see("A phone’s camera app opens a link")
    phone.look("code-for-any-camera")
    try await phone.press("Scan someone’s code")
    try await phone.see("Or type the id")
    phone.look("scanner")
    await phone.leave()
}

/// Four taps call for help; somebody comes; it ends after a question.
@MainActor
func alert(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    let ben = try await walker.watchOverAna("Ben Okafor")
    _ = try await walker.watchOverAna("Maximiliane Schwarzenberger-von der Osten")
    for presses in 1...3 {
        try await phone.press("Alert")
        try await phone.see("\(presses) of 4")
    }
    phone.look("alert-presses")
    try await phone.press("Alert")
    try await phone.see("No one has answered yet")
    phone.look("alert-on")
    let dependent = try await ben.shows("who needs help") { state in
        state.tabs?.dependents.contacts.contacts.first { $0.watch?.status == .alertActive }
    }
    await ben.send(tabs: .dependents(.alertTapped(dependent)))
    await ben.send(tabs: .dependents(.dependentAlert(.presented(.onAppear))))
    try await ben.shows(
        "that he can help",
        that: { $0.tabs?.dependents.dependentAlert?.canAcknowledge == true })
    await ben.send(tabs: .dependents(.dependentAlert(.presented(.acknowledgeButtonTapped))))
    try await phone.see("Ben Okafor is on it")
    phone.look("alert-answered")
    try await phone.press("Responders")
    phone.look("alert-elsewhere")
    try await phone.press("Go to your alert")
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
    try await phone.see("No one has answered yet")
    await phone.leave()
}

/// A check-in made offline waits, and goes out by itself.
@MainActor
func offline(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    phone.cutConnection()
    phone.pass(.hours(1))
    try await phone.press("Check in")
    try await phone.see("1 waiting")
    phone.look("offline-waiting")
    phone.cutConnection(false)
    try await phone.press("Try now")
    try await phone.miss("waiting")
    await phone.leave()
}
