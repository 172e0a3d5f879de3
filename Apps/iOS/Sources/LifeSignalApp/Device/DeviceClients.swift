import AVFoundation
import Clients
import ComposableArchitecture
import Domain
import Foundation
import LifeSignalDevice
import UIKit
import UserNotifications

extension DependencyValues {
    /// The clients whose live values need Apple's frameworks.
    mutating func installDevice() {
        localNotificationClient = .device
        hapticClient = .device
        cameraClient = .device
    }
}

extension LocalNotificationClient {
    /// Schedules reminders in the system, which shows them even without the app and without a
    /// network.
    static var device: LocalNotificationClient {
        LocalNotificationClient(
            isAvailable: { true },
            schedule: { notifications in
                await removePending()
                for notification in notifications {
                    // Throws if a newer schedule has replaced this schedule.
                    try Task.checkCancellation()
                    try await UNUserNotificationCenter.current().add(notification.request)
                }
            },
            cancelAll: { await removePending() })
    }

    private static func removePending() async {
        let center = UNUserNotificationCenter.current()
        let known = await center.pendingNotificationRequests().map(\.identifier)
        center.removePendingNotificationRequests(
            withIdentifiers: known.filter { $0.hasPrefix(LocalNotification.mark) })
    }
}

extension LocalNotification {
    /// The identifier prefix of the app's reminders.
    fileprivate static let mark = LocalReminder.mark

    /// The notification request. The system accepts no delay below one second.
    fileprivate var request: UNNotificationRequest {
        @Dependency(\.date) var date
        let content = UNMutableNotificationContent()
        content.title = title
        content.body = body
        content.sound = .default
        content.interruptionLevel = .timeSensitive
        let now = date.now.onServerClock
        let time = max(1, fireDate.timeIntervalSince(now)) + LocalReminder.patience
        content.userInfo = LocalReminder.userInfo(due: date.now.addingTimeInterval(time))
        return UNNotificationRequest(
            identifier: Self.mark + id, content: content,
            trigger: UNTimeIntervalNotificationTrigger(timeInterval: time, repeats: false))
    }
}

extension HapticClient {
    static var device: HapticClient { HapticClient(play: { await play($0) }) }

    @MainActor
    private static func play(_ haptic: Haptic) {
        switch haptic {
        case .tap: UIImpactFeedbackGenerator(style: .medium).impactOccurred()
        case .success: UINotificationFeedbackGenerator().notificationOccurred(.success)
        case .warning: UINotificationFeedbackGenerator().notificationOccurred(.warning)
        case .failure: UINotificationFeedbackGenerator().notificationOccurred(.error)
        }
    }
}

extension CameraClient {
    static var device: CameraClient {
        CameraClient(
            permission: { permission() },
            requestPermission: {
                _ = await AVCaptureDevice.requestAccess(for: .video)
                return permission()
            })
    }

    private static func permission() -> CameraPermission {
        guard AVCaptureDevice.default(for: .video) != nil else { return .unsupported }
        return switch AVCaptureDevice.authorizationStatus(for: .video) {
        case .notDetermined: .undecided
        case .authorized: .granted
        case .denied, .restricted: .denied
        @unknown default: .denied
        }
    }
}
