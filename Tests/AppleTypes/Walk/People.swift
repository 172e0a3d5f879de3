import Features
import TestApp

private let longName = "Maximiliane Schwarzenberger-von der Osten"

/// The people who are alerted if Ana needs help.
@MainActor
func responders(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    try await phone.press("Responders")
    try await phone.see("No one will be alerted")
    phone.look("responders-empty")
    let ben = try await walker.watchOverAna("Ben Okafor")
    let cleo = try await walker.watchOverAna(longName)
    try await phone.see(longName)
    try await phone.see("Who is called first")
    phone.look("responders")
    for responder in [ben, cleo] {
        let ana = try await responder.shows("Ana as a contact") { state in
            state.tabs?.dependents.contacts.dependents.first
        }
        await responder.send(tabs: .dependents(.ping(.pingDependent(ana.id))))
    }
    try await phone.see("2 responders ask")
    phone.look("responders-pings")
    try await phone.press("\(longName): details")
    try await phone.see("Remove contact")
    phone.look("contact-responder")
    try await phone.press("I watch over them")
    try await phone.see("Cancel")
    phone.look("contact-role-question")
    try await phone.press("Cancel")
    try await phone.press("Remove contact")
    phone.look("contact-remove-question")
    try await phone.press("Cancel")
    try await phone.press("Close")
    try await phone.press("Add a responder")
    try await phone.see("Or type the id")
    try await phone.write("00000000000000000000000000000000", into: "Or type the id")
    try await phone.press("Use this id")
    try await phone.see("Try another code")
    phone.look("scanner-refused")
    try await phone.press("Cancel")
    let dana = try await walker.somebody("Dana Novak")
    phone.open(code: try await dana.showCode().qrCodeID)
    try await phone.see("How should you and Dana Novak help each other?")
    phone.look("add-contact")
    try await phone.press("Add Dana Novak")
    try await phone.see("The contact was added")
    phone.look("contact-added")
    try await phone.press("Responders")
    try await phone.press("Start a drill")
    try await phone.see("Start a drill?")
    phone.look("drill-question")
    try await phone.press("Start the drill")
    try await phone.see("The drill is running")
    phone.look("drill")
    try await phone.press("Stop the drill")
    try await phone.see("Start a drill")
    phone.look("drill-stopped")
    try await phone.write("Mia", into: "Their name")
    try await phone.write("+15550100099", into: "Their phone number or e-mail address")
    try await phone.press("Send one message")
    try await phone.see("This server may send no text messages, or no e-mail.")
    phone.look("invitation-refused")
    await phone.leave()
}

/// The people whom Ana watches over.
@MainActor
func dependents(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    try await phone.press("I watch over")
    try await phone.see("You watch over no one yet")
    phone.look("dependents-empty")
    let ben = try await walker.anaWatchesOver("Ben Okafor")
    _ = try await walker.anaWatchesOver("Dana Novak")
    try await phone.see("Dana Novak")
    phone.look("dependents-asking")
    try await phone.choose("Name", in: "Sort by")
    for name in ["Ben Okafor", "Dana Novak"] {
        try await phone.press("\(name): details")
        try await phone.press("Accept")
        try await phone.press("Close")
    }
    await ben.send(tabs: .profile(.editButtonTapped))
    await ben.send(tabs: .profile(.editingDescriptionChanged("Allergic to nuts.")))
    await ben.send(tabs: .profile(.saveButtonTapped))
    try await phone.see("Ping Dana Novak")
    phone.look("dependents")
    try await phone.press("Ping Dana Novak")
    try await phone.see("No answer yet")
    phone.look("dependents-pinged")
    try await phone.press("Ben Okafor: details")
    try await phone.see("Allergic to nuts.")
    phone.look("contact")
    try await phone.press("Close")
    for _ in 1...4 { await ben.send(tabs: .home(.alert(.alertButtonTapped))) }
    try await phone.see("1 person needs you now")
    phone.look("dependents-trouble")
    try await phone.press("See Ben Okafor’s alert")
    try await phone.see("Ben Okafor needs help")
    phone.look("dependent-alert")
    try await phone.press("I’m on it")
    try await phone.see("You are on it")
    phone.look("dependent-alert-mine")
    try await phone.press("Found safe")
    try await phone.see("Report that Ben Okafor is safe?")
    phone.look("dependent-alert-question")
    try await phone.press("Yes, report it")
    try await phone.see("You reported that Ben Okafor is safe")
    phone.look("dependent-alert-reported")
    try await phone.press("Close")
    try await phone.press("Home")
    try await phone.see("Ben Okafor has raised an alert")
    phone.look("home-trouble")
    await phone.leave()
}

/// The notification centre.
@MainActor
func notifications(_ walker: Walker) async throws {
    let phone = walker.phone
    try await walker.signIn()
    try await phone.press("Notifications")
    try await phone.see("Nothing yet")
    phone.look("notifications-empty")
    _ = try await walker.watchOverAna("Ben Okafor")
    _ = try await walker.anaWatchesOver(longName)
    try await phone.see(longName)
    phone.look("notifications")
    try await phone.press("Unread only")
    phone.look("notifications-unread")
    try await phone.choose("Removed contacts", in: "Show")
    try await phone.see("Nothing of this kind")
    phone.look("notifications-filtered")
    try await phone.press("Delete all")
    try await phone.see("Keep them")
    phone.look("notifications-question")
    await phone.leave()
}
