import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The app's window.
public struct LifeSignalScene: Scene {
    @Environment(\.scenePhase) private var scenePhase
    private let delegate: AppDelegate
    private let dependentsChanged: @MainActor () -> Void

    /// - Parameter dependentsChanged: updates the names that Siri recognises in phrases.
    public init(delegate: AppDelegate, dependentsChanged: @escaping @MainActor () -> Void) {
        self.delegate = delegate
        self.dependentsChanged = dependentsChanged
    }

    public var body: some Scene {
        WindowGroup {
            if let store = delegate.store {
                AppView(store: store)
                    // Links to the server open the app (Config/App.entitlements).
                    .onOpenURL { store.send(.urlOpened($0)) }
                    .onChange(of: store.state.dependentNames, initial: true) { _, _ in
                        dependentsChanged()
                    }
                    .onChange(of: store.state.isSignedOut) { _, isSignedOut in
                        if isSignedOut { Task { await delegate.signedOut() } }
                    }
            } else {
                Text(AppWords.noServer)
            }
        }
        .onChange(of: scenePhase) { _, phase in
            // Called without a task, which might run only after iOS has suspended the app.
            switch phase {
            case .active: delegate.becameActive()
            case .inactive: delegate.becameInactive()
            case .background: delegate.wentToBackground()
            @unknown default: break
            }
        }
        .backgroundTask(.appRefresh(AppDelegate.refreshTask)) { [delegate] in
            _ = await delegate.refreshInBackground()
        }
    }
}

extension AppFeature.State {
    fileprivate var isSignedOut: Bool {
        if case .signedOut = screen { true } else { false }
    }

    fileprivate var dependentNames: [String] {
        main?.dependents.contacts.contacts.filter(\.isDependent)
            .map { ProfileRules.displayName($0.name) }.sorted() ?? []
    }
}
