@_exported import Foundation

@MainActor
open class UIResponder: NSObject {}

@MainActor
open class UIViewController: UIResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {
        get { fatalError() }
        set {}
    }
    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func viewDidLayoutSubviews() {}
    open func viewWillTransition(
        to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator
    ) {}
}

@MainActor
public protocol UIViewControllerTransitionCoordinatorContext: NSObjectProtocol {}
@MainActor
public protocol UIViewControllerTransitionCoordinator:
    UIViewControllerTransitionCoordinatorContext
{}
extension UIViewControllerTransitionCoordinator {
    @discardableResult
    public func animate(
        alongsideTransition animation: (
            (any UIViewControllerTransitionCoordinatorContext) -> Void
        )?,
        completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)? = nil
    ) -> Bool { fatalError() }
}

public enum UIInterfaceOrientation: Int, Sendable {
    case unknown = 0, portrait, portraitUpsideDown, landscapeLeft, landscapeRight
}
@MainActor
public final class UIWindow: UIView {
    public var windowScene: UIWindowScene? { fatalError() }
}
@MainActor
public final class UIWindowScene: UIResponder {
    @available(iOS 16.0, *)
    public var effectiveGeometry: Geometry { fatalError() }
    @MainActor
    public final class Geometry: NSObject {
        public var interfaceOrientation: UIInterfaceOrientation { fatalError() }
    }
}

@MainActor
open class UIActivity: NSObject {}
@MainActor
open class UIActivityViewController: UIViewController {
    public init(activityItems: [Any], applicationActivities: [UIActivity]?) {
        super.init(nibName: nil, bundle: nil)
    }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
}

@MainActor
open class UIView: UIResponder {
    open var bounds: CGRect {
        get { fatalError() }
        set {}
    }
    open var layer: CALayer { fatalError() }
    open var window: UIWindow? { fatalError() }
    open var isAccessibilityElement: Bool {
        get { fatalError() }
        set {}
    }
    open var accessibilityLabel: String? {
        get { fatalError() }
        set {}
    }
}

open class CALayer: NSObject {
    open var frame: CGRect {
        get { fatalError() }
        set {}
    }
    open func addSublayer(_ layer: CALayer) {}
}

public final class UIImage: NSObject, @unchecked Sendable {
    public init?(data: Data) { super.init() }
}

@MainActor
public final class UIApplication: UIResponder {
    public class var shared: UIApplication { fatalError() }
    public enum State: Int, Sendable { case active, inactive, background }
    public var applicationState: State { fatalError() }
    public var isRegisteredForRemoteNotifications: Bool { fatalError() }
    public func registerForRemoteNotifications() {}
    public func unregisterForRemoteNotifications() {}
    public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { fatalError() }
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    public struct LaunchOptionsKey: Hashable, Sendable {}
    public static let openSettingsURLString: String = ""
    public static let openNotificationSettingsURLString: String = ""
}

public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// Optional in Objective-C. Required here, so that the check finds a misspelt method name.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error)
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
    func applicationSignificantTimeChange(_ application: UIApplication)
}
public enum UIBackgroundFetchResult: UInt, Sendable { case newData, noData, failed }
@MainActor
public final class UIDevice: NSObject {
    public class var current: UIDevice { fatalError() }
    public var name: String { fatalError() }
    public var model: String { fatalError() }
}

@MainActor
public final class UIPasteboard: NSObject {
    public struct OptionsKey: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let localOnly = OptionsKey(rawValue: "localOnly")
        public static let expirationDate = OptionsKey(rawValue: "expirationDate")
    }
    public static let general = UIPasteboard()
    public var string: String?
    public func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) {}
}

@MainActor
open class UIFeedbackGenerator: NSObject {
    open func prepare() {}
}
@MainActor
public final class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackType: Int, Sendable { case success, warning, error }
    public func notificationOccurred(_ notificationType: FeedbackType) {}
}
@MainActor
public final class UIImpactFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackStyle: Int, Sendable { case light, medium, heavy, soft, rigid }
    public init(style: FeedbackStyle) { super.init() }
    public func impactOccurred() {}
}

@MainActor
public enum UIAccessibility {
    /// The texts that VoiceOver was asked to read out. UIKit lacks this property.
    static var announced: [String] = []

    public static func post(notification: Notification, argument: Any?) {
        if let words = argument as? String { announced.append(words) }
    }
    public struct Notification: Hashable, Sendable {
        public static let announcement = Notification()
    }
}

public enum UIKeyboardType: Int, Sendable {
    case `default`, asciiCapable, numberPad, phonePad, emailAddress
}
public struct UITextContentType: Hashable, Sendable {
    public static let name = UITextContentType()
    public static let telephoneNumber = UITextContentType()
    public static let emailAddress = UITextContentType()
    public static let oneTimeCode = UITextContentType()
}
