import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import StoreAdditions
import SwiftUI
import TestApp

@testable import LifeSignalApp
@testable import LivePages
@testable import Web

/// A person at the app's own views: they read words and tap controls, which act on the store of the
/// whole app, on live clients and the real server. Beside each screen stands the web app's page of
/// the same state.
@MainActor
final class Phone {
    let app: TestApp
    private let folder: TemporaryFolder
    private let cable: Cable
    private let clients: LiveClients
    private let store: StoreOf<AppFeature>
    private let canvas = Canvas()
    private let received = Received()
    private let report: Report

    init(_ name: String, in app: TestApp, report: Report) throws {
        (self.app, self.report) = (app, report)
        folder = try TemporaryFolder()
        cable = Cable(app.transport)
        let (time, received) = (app.time, received)
        let environment = ClientEnvironment(
            clock: .continuous, now: { time.now }, makeID: { UUID() },
            random: { .random(in: 0..<1) }, pictures: app.pictures)
        let clients = LiveClients(
            transport: cable, tokens: MemoryTokenStore(), storage: .device(folder: folder.url),
            options: .init(deviceName: name), environment: environment)
        self.clients = clients
        store = Store(initialState: AppFeature.State()) {
            Reduce { _, action in
                received.actions.append(action)
                return .none
            }
            AppFeature()
        } withDependencies: {
            $0.context = .live
            $0.date = DateGenerator { time.now }
            clients.install(in: &$0)
        }
    }

    // MARK: Looking

    /// The screen as it is now.
    private var screen: Sketch { canvas.draw(AppView(store: store)) }

    private var page: Screen<AppFeature.Action> {
        let now = app.time.now
        return withDependencies {
            $0.date.now = now
        } operation: {
            Screen(AppFeature.view(store.state))
        }
    }

    /// Waits for a screen that is as it is asked for. Whoever runs this sets the limit of time, and
    /// reads what was waited for last.
    @discardableResult
    private func wait<Value>(_ what: String, _ find: (Sketch) -> Value?) async throws -> Value {
        if let value = find(screen) { return value }
        FileHandle.standardError.write(Data("Waits for \(what)\n".utf8))
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

    /// Hands the screen, and the page of the same state, to the report under the name that it has
    /// in the tests of the web app.
    func look(_ name: String) {
        // A view that has just appeared acts once it is drawn.
        _ = screen
        let (screen, page) = (screen, page)
        report.add(name, screen, page: page.markup)
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

    /// Where the page has a control of the same name, both must send the same.
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

    /// The control nearest to the person: of a sheet rather than of what it covers.
    private func control(_ name: String, _ isMeant: (Control) -> Bool) async throws -> Control {
        try await wait("\(name), to be tapped") { screen in
            screen.controls.last { $0.name == name && $0.isEnabled && isMeant($0) }
        }
    }

    // MARK: What the system does

    func launch() { store.send(.appLaunched) }

    func open(code: String) { store.send(.screen(.presented(.main(.linkOpened(code: code))))) }

    /// Moves the time on, and lets the app look at it as when it comes to the front.
    func pass(_ duration: Duration) {
        app.time.pass(duration)
        store.send(.becameActive)
    }

    /// The connection of this phone alone.
    func cutConnection(_ isCut: Bool = true) { cable.plug(!isCut) }

    func leave() async { await clients.stop() }
}

extension Screen {
    /// The action of the button with this name; for the button of a form, that of the form.
    fileprivate func action(ofButton name: String) -> Action? {
        if let action = try? press(name) { return action }
        if let action = try? change(name, to: .flag(true), "toggle") { return action }
        guard markup.components(separatedBy: "<form").count == 2, buttons.contains(name) else {
            return nil
        }
        return try? send("submit", from: "form")
    }
}

@MainActor
private final class Received {
    nonisolated(unsafe) var actions: [AppFeature.Action] = []
}

/// The error for what a screen did not show.
struct NotSeen: Error, CustomStringConvertible {
    var what: String
    var screen: String

    var description: String { "The app does not show \(what). It shows: \(screen)" }
}
