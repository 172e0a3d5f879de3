import Features
import SwiftUI

/// The app's window.
public struct LifeSignalScene: Scene {
    @Environment(\.scenePhase) private var scenePhase
    private let delegate: AppDelegate

    public init(delegate: AppDelegate) { self.delegate = delegate }

    public var body: some Scene {
        WindowGroup {
            if let store = delegate.store {
                AppView(store: store)
            } else {
                Text(AppWords.noServer)
            }
        }
        .onChange(of: scenePhase) { _, phase in
            Task {
                switch phase {
                case .active: await delegate.becameActive()
                case .inactive: break
                case .background: await delegate.wentToBackground()
                }
            }
        }
        .backgroundTask(.appRefresh(AppDelegate.refreshTask)) { [delegate] in
            await delegate.refreshInBackground()
        }
    }
}
