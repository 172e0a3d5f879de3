@_exported import Foundation
import Synchronization

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
    @available(iOS 12.0, *)
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 16)
}
public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined, denied, authorized, provisional, ephemeral
}
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}
@available(iOS 15.0, *)
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    case passive, active, timeSensitive, critical
}

public enum UNNotificationSetting: Int, Sendable { case notSupported, disabled, enabled }
open class UNNotificationSettings: NSObject {
    open var authorizationStatus: UNAuthorizationStatus { fatalError() }
    @available(iOS 12.0, *)
    open var criticalAlertSetting: UNNotificationSetting { fatalError() }
}

/// Stores pending and delivered notifications. Time doesn't advance by itself.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let shared = UNUserNotificationCenter()
    private struct State: @unchecked Sendable {
        var pending: [UNNotificationRequest] = []
        var delivered: [UNNotification] = []
    }
    private let state = Mutex(State())

    open class func current() -> UNUserNotificationCenter { shared }
    weak open var delegate: (any UNUserNotificationCenterDelegate)?
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        fatalError()
    }
    open func notificationSettings() async -> UNNotificationSettings { fatalError() }
    @available(iOS 16.0, *)
    open func setBadgeCount(_ newBadgeCount: Int) async throws {}
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
    open func add(_ request: UNNotificationRequest) async throws {
        let request = Unchecked(request)
        state.withLock { state in
            state.pending.removeAll { $0.identifier == request.value.identifier }
            state.pending.append(request.value)
        }
    }
    open func pendingNotificationRequests() async -> [UNNotificationRequest] {
        state.withLock { Unchecked($0.pending) }.value
    }
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        state.withLock { $0.pending.removeAll { identifiers.contains($0.identifier) } }
    }
    open func deliveredNotifications() async -> [UNNotification] {
        state.withLock { Unchecked($0.delivered) }.value
    }
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        state.withLock { $0.delivered.removeAll { identifiers.contains($0.request.identifier) } }
    }

    /// Delivers a notification, as the system does once a request is due.
    func deliver(_ request: UNNotificationRequest, at date: Date) {
        let notification = Unchecked(UNNotification(request, date))
        state.withLock { $0.delivered.append(notification.value) }
    }
}
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Optional in Objective-C. Required here, so that the check finds a misspelt method name. The
/// `async` methods are omitted, because they complete on a background thread, where UIKit traps.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping (UNNotificationPresentationOptions) -> Void)
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
}
open class UNNotification: NSObject {
    public let request: UNNotificationRequest
    public let date: Date
    init(_ request: UNNotificationRequest, _ date: Date) {
        (self.request, self.date) = (request, date)
    }
}
open class UNNotificationResponse: NSObject {
    open var notification: UNNotification { fatalError() }
    open var actionIdentifier: String { fatalError() }
}
public let UNNotificationDefaultActionIdentifier: String = ""
public let UNNotificationDismissActionIdentifier: String = ""

open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent
    public let trigger: UNNotificationTrigger?
    public init(
        identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?
    ) { (self.identifier, self.content, self.trigger) = (identifier, content, trigger) }
}
open class UNNotificationContent: NSObject {
    fileprivate var words = ""
    fileprivate var category = ""
    fileprivate var info: [AnyHashable: Any] = [:]
    open var title: String { words }
    open var userInfo: [AnyHashable: Any] { info }
    open var categoryIdentifier: String { category }
}
open class UNMutableNotificationContent: UNNotificationContent {
    open override var title: String {
        get { words }
        set { words = newValue }
    }
    open override var userInfo: [AnyHashable: Any] {
        get { info }
        set { info = newValue }
    }
    open var body = ""
    open var sound: UNNotificationSound?
    open override var categoryIdentifier: String {
        get { category }
        set { category = newValue }
    }
    open var interruptionLevel = UNNotificationInterruptionLevel.active
}
open class UNNotificationSound: NSObject {
    open class var `default`: UNNotificationSound { UNNotificationSound() }
}
open class UNNotificationTrigger: NSObject {}
open class UNCalendarNotificationTrigger: UNNotificationTrigger {
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {}
}
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
    public let timeInterval: TimeInterval
    public init(timeInterval: TimeInterval, repeats: Bool) { self.timeInterval = timeInterval }
    /// As in Apple's framework, the interval begins at the time of the call.
    open func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1)
    public static let destructive = UNNotificationActionOptions(rawValue: 2)
    public static let foreground = UNNotificationActionOptions(rawValue: 4)
}
open class UNNotificationAction: NSObject {
    public let identifier: String
    public let title: String
    public let options: UNNotificationActionOptions
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        (self.identifier, self.title, self.options) = (identifier, title, options)
    }
}
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
open class UNNotificationCategory: NSObject {
    public let identifier: String
    public let actions: [UNNotificationAction]
    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) { (self.identifier, self.actions) = (identifier, actions) }
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}
