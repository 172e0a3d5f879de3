import AppIntents
import LifeSignalApp
import SwiftUI

@main
struct LifeSignal: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        LifeSignalScene(
            delegate: delegate,
            dependentsChanged: { LifeSignalShortcuts.updateAppShortcutParameters() })
    }
}
