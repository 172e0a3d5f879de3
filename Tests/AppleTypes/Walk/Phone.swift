import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice
import StoreAdditions
import Synchronization
import TestApp

@testable import LifeSignalApp
@testable import LivePages
@testable import SwiftUI
@testable import UIKit
@testable import Web

/// Acts as a user of the app's own views, who reads texts and taps controls. The taps act on the
/// store of the whole app, with live clients and the real server. Each screen is compared with the
/// web app's page for the same state.
@MainActor
final class Phone {
    let app: TestApp
    private let folder: TemporaryFolder
    private let cable: Cable
    private let tokens = MemoryTokenStore()
    let sender = FakeSender()
    private var isCut = false
    private let name: String
    private let clients: LiveClients
    private let store: StoreOf<AppFeature>
    private let canvas = Canvas()
    private let received = Received()
    private let report: Report

    init(_ name: String, in app: TestApp, report: Report) throws {
        (self.name, self.app, self.report) = (name, app, report)
        folder = try TemporaryFolder()
        cable = Cable(app.transport)
        (clients, store) = Self.process(name, in: app, cable, tokens, folder, received)
    }

    /// Returns the clients and the store of a new process of the app on this phone.
    private static func process(
        _ name: String, in app: TestApp, _ cable: Cable, _ tokens: MemoryTokenStore,
        _ folder: TemporaryFolder, _ received: Received
    ) -> (LiveClients, StoreOf<AppFeature>) {
        let time = app.time
        let environment = ClientEnvironment(
            clock: .continuous, now: { time.now }, makeID: { UUID() },
            random: { .random(in: 0..<1) }, pictures: app.pictures)
        let clients = LiveClients(
            transport: cable, tokens: tokens, storage: .device(folder: folder.url),
            options: .init(deviceName: name), environment: environment)
        let store: StoreOf<AppFeature> = Store(initialState: AppFeature.State()) {
            Reduce { _, action in
                received.actions.append(action)
                return .none
            }
            AppFeature()
        } withDependencies: {
            $0.context = .live
            $0.date = DateGenerator { time.now }
            clients.install(in: &$0)
            $0.localNotificationClient = .device
        }
        return (clients, store)
    }

    // MARK: Looking

    private var screen: Sketch { canvas.draw(AppView(store: store)) }

    private var page: Screen<AppFeature.Action> {
        let now = app.time.now
        return withDependencies {
            $0.date.now = now
        } operation: {
            Screen(AppFeature.view(store.state))
        }
    }

    /// Waits until `find` returns a value for the screen. Ends the process after a time limit.
    @discardableResult
    private func wait<Value>(_ what: String, _ find: (Sketch) -> Value?) async throws -> Value {
        if let value = find(screen) { return value }
        FileHandle.standardError.write(Data("Waits for \(what)\n".utf8))
        let limit = timeLimit { [self] in "\(NotSeen(what: what, screen: screen.text))" }
        defer { limit.cancel() }
        for await _ in store.states {
            if let value = find(screen) { return value }
        }
        throw NotSeen(what: what, screen: screen.text)
    }

    func see(_ words: String) async throws {
        try await wait("“\(words)”") { $0.text.contains(words) ? true : nil }
    }

    func miss(_ words: String) async throws {
        try await wait("no “\(words)”") { $0.text.contains(words) ? nil : true }
    }

    /// Waits until VoiceOver has read out a text that begins with these words. Forgets all texts
    /// until then.
    func hear(_ words: String) async throws {
        try await wait("“\(words)” read out") { _ in
            UIAccessibility.announced.contains { $0.hasPrefix(words) } ? true : nil
        }
        UIAccessibility.announced = []
    }

    /// Adds the screen, and the web app's page for the same state, to the report. The web app's
    /// tests use the same name.
    func look(_ name: String) {
        // Draws the screen twice, because a new view performs its action only after its first
        // drawing.
        _ = screen
        let (screen, page) = (screen, page)
        report.add(name, screen, page: page.markup)
        for (held, width, height) in [
            ("on an iPad", UserInterfaceSizeClass.regular, UserInterfaceSizeClass.regular),
            ("held sideways", .compact, .compact),
        ] {
            EnvironmentValues.sizes = (width, height)
            let turned = self.screen
            EnvironmentValues.sizes = (.compact, .regular)
            if turned.words != screen.words
                || turned.controls.map(\.name) != screen.controls.map(\.name)
            {
                report.differences.append("\(name) says something else \(held): \(turned.text)")
            }
        }
    }

    // MARK: Acting

    func press(_ name: String) async throws {
        let control = try await control(name) { $0.kind != .field && $0.kind != .choice }
        act(name, as: page.action(ofButton: name), control.press)
    }

    func write(_ text: String, into name: String) async throws {
        let control = try await control(name) { $0.kind == .field }
        act(name, as: try? page.change(name, to: .text(text))) { control.write(text) }
    }

    func choose(_ words: String, in name: String) async throws {
        let control = try await control(name) { $0.kind == .choice }
        act(words, as: try? page.press(words)) { control.write(words) }
    }

    /// Uses the control. A control with the same name on the web page must send the same action.
    private func act(
        _ name: String, as expected: AppFeature.Action?, _ use: @MainActor () -> Void
    ) {
        received.actions = []
        use()
        guard let expected, let sent = received.actions.first else { return }
        report.compared += 1
        if expected != sent {
            report.differences.append("\(name) sends \(sent), and on the page \(expected)")
        }
    }

    /// Returns the topmost control with this name. Controls on a sheet are above controls below the
    /// sheet.
    private func control(_ name: String, _ isMeant: (Control) -> Bool) async throws -> Control {
        try await wait("\(name), to be tapped") { screen in
            screen.controls.last { $0.name == name && $0.isEnabled && isMeant($0) }
        }
    }

    // MARK: What the system does

    func launch() { store.send(.appLaunched) }

    func open(code: String) { store.send(.screen(.presented(.main(.linkOpened(code: code))))) }

    /// Opens a link to another person's alert from another app.
    func open(_ link: URL) { store.send(.urlOpened(link)) }

    func openMessage(about alert: AlertID, of user: UserID) {
        store.send(.notificationOpened(.alert(alert, user: user)))
    }

    /// Advances the time, and makes the app notice it, as when the app comes to the foreground.
    func pass(_ duration: Duration) {
        app.time.pass(duration)
        store.send(.becameActive)
    }

    /// Cuts or restores only this phone's connection.
    func cutConnection(_ isCut: Bool = true) {
        self.isCut = isCut
        cable.plug(!isCut)
    }

    func leave() async { await clients.stop() }

    func checkInFromWidget() async throws {
        let (time, clients) = (app.time, clients)
        try await withDependencies {
            clients.install(in: &$0)
            $0.date = DateGenerator { time.now }
            $0.localNotificationClient = .device
        } operation: {
            _ = try await CheckInAction.perform()
        }
    }

    func arriveFromWidget() async throws {
        let (time, clients) = (app.time, clients)
        try await withDependencies {
            clients.install(in: &$0)
            $0.date = DateGenerator { time.now }
        } operation: {
            try await JourneyAction.arrive()
        }
    }

    /// Returns the user who is signed in.
    func userID() throws -> UserID {
        guard let user = store.state.signedIn?.userID else {
            throw NotSeen(what: "who is signed in", screen: screen.text)
        }
        return user
    }

    /// Acts as if iOS had ended the app and then launched it in the background for this work.
    func launched<Value: Sendable>(
        _ work: @escaping @MainActor @Sendable () async throws -> Value
    ) async throws -> Value {
        let (clients, _) = Self.process(name, in: app, cable, tokens, folder, Received())
        let (time, sender) = (app.time, sender)
        // Without a connection, Siri's wait for it ends at once.
        let clock: any Clock<Duration> =
            isCut ? ImmediateClock<Duration>() : TestClock<Duration>()
        do {
            let value = try await withDependencies {
                clients.install(in: &$0)
                $0.date = DateGenerator { time.now }
                $0.continuousClock = clock
                $0.localNotificationClient = .device
                $0.backgroundHandover = .by(sender, of: clients)
            } operation: {
                try await work()
            }
            await clients.stop()
            return value
        } catch {
            await clients.stop()
            throw error
        }
    }

    /// Acts as if iOS had ended the app and then launched it for a silent push.
    /// - Returns: the result that the app reports, and what the widget shows then.
    func wakeInBackground() async -> (Bool, DeadlineSnapshot) {
        let (clients, store) = Self.process(name, in: app, cable, tokens, folder, Received())
        store.send(.appLaunched)
        let display = DeadlineDisplay(folder: folder.url)
        let refresh = DeviceRefresh(
            clients: clients, store: store, display: display, sender: sender)
        let isFresh = await refresh.run()
        await clients.stop()
        return (isFresh, .read(in: folder.url))
    }
}

extension Screen {
    /// Returns the action of the button with this name, or of the form that the button submits.
    fileprivate func action(ofButton name: String) -> Action? {
        // On the page, the script counts the presses of this button.
        if name == "Alert" { return nil }
        // The app's button closes an open sheet first. On the page, the tab does.
        if name == "Go to your alert" { return nil }
        if let action = try? press(name) { return action }
        if let action = try? change(name, to: .flag(true), "toggle") { return action }
        guard markup.components(separatedBy: "<form").count == 2, buttons.contains(name) else {
            return nil
        }
        return try? send("submit", from: "form")
    }
}

/// Keeps what iOS would send while the app is suspended.
final class FakeSender: BackgroundSender {
    private let given = Mutex<[BackgroundRequest]>([])
    /// The first two parts of each path.
    var paths: [String] {
        given.withLock { $0.map { $0.request.path.split(separator: "/").prefix(2) } }
            .map { $0.joined(separator: "/") }
    }

    func replace(with requests: [BackgroundRequest]) async { given.withLock { $0 = requests } }
}

@MainActor
private final class Received {
    nonisolated(unsafe) var actions: [AppFeature.Action] = []
}

struct NotSeen: Error, CustomStringConvertible {
    var what: String
    var screen: String

    var description: String { "The app does not show \(what). It shows: \(screen)" }
}
