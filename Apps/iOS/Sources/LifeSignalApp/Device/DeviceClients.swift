import AVFoundation
import Clients
import ComposableArchitecture
import Foundation
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
    /// Reminders in the system's own list, which fires them without the app and without a network.
    static var device: LocalNotificationClient {
        LocalNotificationClient(
            isAvailable: { true },
            schedule: { notifications in
                await removePending()
                for notification in notifications {
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
    /// Tells the app's reminders from its other requests.
    fileprivate static let mark = "reminder "

    /// The system takes no trigger of less than a second.
    fileprivate var request: UNNotificationRequest {
        @Dependency(\.date) var date
        let content = UNMutableNotificationContent()
        content.title = title
        content.body = body
        content.sound = .default
        content.interruptionLevel = .timeSensitive
        let time = max(1, fireDate.timeIntervalSince(date.now))
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
