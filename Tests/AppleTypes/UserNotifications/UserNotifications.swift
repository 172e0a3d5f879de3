@_exported import Foundation

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
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
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    case passive, active, timeSensitive, critical
}

open class UNNotificationSettings: NSObject {
    open var authorizationStatus: UNAuthorizationStatus { fatalError() }
}

open class UNUserNotificationCenter: NSObject {
    open class func current() -> UNUserNotificationCenter { fatalError() }
    weak open var delegate: (any UNUserNotificationCenterDelegate)?
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        fatalError()
    }
    open func notificationSettings() async -> UNNotificationSettings { fatalError() }
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
    open func add(_ request: UNNotificationRequest) async throws {}
    open func pendingNotificationRequests() async -> [UNNotificationRequest] { fatalError() }
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {}
}

/// Its methods are optional in Objective-C. Here they are not, so that a misspelt one is found.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async
}
open class UNNotification: NSObject {
    open var request: UNNotificationRequest { fatalError() }
}
open class UNNotificationResponse: NSObject {
    open var notification: UNNotification { fatalError() }
    open var actionIdentifier: String { fatalError() }
}
public let UNNotificationDefaultActionIdentifier: String = ""
public let UNNotificationDismissActionIdentifier: String = ""

open class UNNotificationRequest: NSObject {
    public init(
        identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?
    ) {}
    open var identifier: String { fatalError() }
    open var content: UNNotificationContent { fatalError() }
}
open class UNNotificationContent: NSObject {
    open var title: String { fatalError() }
    open var userInfo: [AnyHashable: Any] { fatalError() }
}
open class UNMutableNotificationContent: UNNotificationContent {
    open override var title: String {
        get { fatalError() }
        set {}
    }
    open var body: String {
        get { fatalError() }
        set {}
    }
    open var sound: UNNotificationSound? {
        get { fatalError() }
        set {}
    }
    open var categoryIdentifier: String {
        get { fatalError() }
        set {}
    }
    open var interruptionLevel: UNNotificationInterruptionLevel {
        get { fatalError() }
        set {}
    }
}
open class UNNotificationSound: NSObject {
    open class var `default`: UNNotificationSound { fatalError() }
}
open class UNNotificationTrigger: NSObject {}
open class UNCalendarNotificationTrigger: UNNotificationTrigger {
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {}
}
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
    public init(timeInterval: TimeInterval, repeats: Bool) {}
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1)
    public static let destructive = UNNotificationActionOptions(rawValue: 2)
    public static let foreground = UNNotificationActionOptions(rawValue: 4)
}
open class UNNotificationAction: NSObject {
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {}
}
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
open class UNNotificationCategory: NSObject {
    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {}
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}
