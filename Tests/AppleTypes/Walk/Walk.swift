import Foundation
import TestApp

/// Walks through the app's screens as the browser tests walk through the web app's pages. Prints
/// what both show in each state.
@main
struct Walk {
    @MainActor
    static func main() async {
        let report = Report()
        let stories: [(String, @MainActor (Walker) async throws -> Void)] = [
            ("signing in", signingIn), ("home", home), ("an alert", alert),
            ("an alert and a missed check-in", alertAndMissedCheckIn),
            ("a journey", journey), ("someone else's journey", watchedJourney),
            ("an alert by confirmation", alertByConfirmation),
            ("an alert from every tab", alertFromEveryTab),
            ("an alert from every sheet", alertFromEverySheet),
            ("an alert over every sheet", alertOverEverySheet),
            ("responders", responders), ("dependents", dependents),
            ("notifications", notifications), ("profile", profile), ("being offline", offline),
            ("a check-in elsewhere", elsewhere), ("a notification's buttons", buttons),
            ("widget and Siri", outside), ("Siri's answer about a dependent", spokenStatus),
        ]
        for (name, story) in stories {
            do {
                try await story(try Walker(report))
            } catch {
                report.differences.append("The story of \(name) ends early: \(error)")
            }
        }
        do {
            FileHandle.standardOutput.write(try report.json())
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}

/// Ana with her phone, and other users of the same server.
@MainActor
final class Walker {
    static let number = "+15550100001"
    let app: TestApp
    let phone: Phone
    private var people = 1
    private var code: String?

    init(_ report: Report) throws {
        app = try TestApp()
        phone = try Phone("Ana’s iPhone", in: app, report: report)
    }

    /// Signs Ana in and completes the onboarding. She checks in every 24 hours.
    func signIn(_ name: String = "Ana Lima") async throws {
        phone.launch()
        try await phone.write(Self.number, into: "Phone number")
        try await phone.press("Send code")
        try await phone.see("Enter the code")
        try await phone.write(try app.code(for: Self.number), into: "6-digit code")
        try await phone.write(name, into: "Name")
        for title in [
            "What should your responders know?", "How do you want to check in?",
            "When do you want to be reminded?", "Your first check-in",
        ] {
            try await phone.press("Continue")
            try await phone.see(title)
            if title == "How do you want to check in?" {
                try await phone.press("Within hours of the last check-in")
            }
        }
        try await phone.press("Check in")
        try await phone.press("Later")
        try await phone.see("Call for help")
    }

    func somebody(_ name: String) async throws -> TestUser {
        people += 1
        return try await app.welcome(name, "+1555010000\(people)")
    }

    /// Signs in another user, and makes them Ana's responder by her code.
    func watchOverAna(_ name: String) async throws -> TestUser {
        let responder = try await somebody(name)
        try await responder.add(try await code(), isResponder: false, isDependent: true)
        return responder
    }

    func anaWatchesOver(_ name: String) async throws -> TestUser {
        let dependent = try await somebody(name)
        try await dependent.add(try await code(), isResponder: true, isDependent: false)
        return dependent
    }

    /// Returns Ana's own code, read on her second device.
    func code() async throws -> String {
        if let code { return code }
        let tablet = TestUser("Ana’s tablet", in: app)
        try await tablet.signIn(Self.number, in: app)
        try await tablet.arrive()
        let shown = try await tablet.showCode().qrCodeID
        code = shown
        return shown
    }
}
