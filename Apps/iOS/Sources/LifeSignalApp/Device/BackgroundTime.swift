import UIKit

/// Asks iOS not to suspend the app until `end`. iOS grants about 30 seconds.
@MainActor
final class BackgroundTime {
    private var id = UIBackgroundTaskIdentifier.invalid
    /// False after `end` and after the expiry.
    var isHeld: Bool { id != .invalid }

    init() {
        // iOS kills an app that keeps the time beyond its expiry.
        id = UIApplication.shared.beginBackgroundTask { [weak self] in self?.end() }
    }

    func end() {
        guard id != .invalid else { return }
        UIApplication.shared.endBackgroundTask(id)
        id = .invalid
    }
}
