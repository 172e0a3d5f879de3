import ComposableArchitecture
import Domain

/// Choices of the signed-in person that stay on this device. Sign-out deletes them.
@DependencyClient
public struct SettingsClient: Sendable {
    /// Returns nil for a key that was never set.
    public var string: @Sendable (_ key: SettingsKey) async -> String? = { _ in nil }
    public var setString: @Sendable (_ value: String, _ key: SettingsKey) async -> Void
}

extension SettingsClient {
    /// Returns how an alert is raised on this device; nil if the person has not chosen.
    public func alertTrigger() async -> AlertTrigger? {
        await string(key: .alertTrigger).flatMap(AlertTrigger.init(rawValue:))
    }
}

public enum SettingsKey: String, Sendable, CaseIterable {
    /// Seed 002 uses this key.
    case dependentsSortOption = "DependentsSortOption"
    /// The time, in milliseconds, of the newest alert end by another device that the person has
    /// read about.
    case readAlertEnd = "ReadAlertEnd"
    /// A raw value of `AlertTrigger`.
    case alertTrigger = "AlertTrigger"
    /// The time, in milliseconds, of the last question about the time zone of the schedule.
    case timeZoneAsked = "TimeZoneAsked"
}

extension SettingsClient: TestDependencyKey {
    public static let testValue = SettingsClient()
}

extension DependencyValues {
    public var settingsClient: SettingsClient {
        get { self[SettingsClient.self] }
        set { self[SettingsClient.self] = newValue }
    }
}
