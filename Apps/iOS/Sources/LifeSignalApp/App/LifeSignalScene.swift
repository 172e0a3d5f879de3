import Features
import SwiftUI

/// The app's window.
public struct LifeSignalScene: Scene {
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
        .backgroundTask(.appRefresh(AppDelegate.refreshTask)) { [delegate] in
            await delegate.refreshInBackground()
        }
    }
}
