@_exported import Foundation

@available(iOS 16.1, *)
public protocol ActivityAttributes: Codable, Sendable {
    associatedtype ContentState: Codable, Hashable, Sendable
}
@available(iOS 16.2, *)
public struct ActivityContent<State: Codable & Hashable & Sendable>: Sendable {
    public init(state: State, staleDate: Date?, relevanceScore: Double = 0) {}
}
public struct PushType: Equatable, Sendable {
    public static var token: PushType { fatalError() }
}
public struct ActivityUIDismissalPolicy: Equatable, Sendable {
    public static let `default` = ActivityUIDismissalPolicy()
    public static let immediate = ActivityUIDismissalPolicy()
}
@available(iOS 16.1, *)
public enum ActivityState: Codable, Sendable { case active, ended, dismissed, stale }
@available(iOS 16.1, *)
public final class Activity<Attributes: ActivityAttributes>: Identifiable, @unchecked Sendable {
    public static func request(
        attributes: Attributes, content: ActivityContent<Attributes.ContentState>,
        pushType: PushType? = nil
    ) throws -> Activity<Attributes> { fatalError() }
    public static var activities: [Activity<Attributes>] { [] }
    public let id: String
    public var activityState: ActivityState { fatalError() }
    init() { fatalError() }
    public func update(_ content: ActivityContent<Attributes.ContentState>) async {}
    public func end(
        _ content: ActivityContent<Attributes.ContentState>?,
        dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {}
}
@available(iOS 16.1, *)
public final class ActivityAuthorizationInfo: Sendable {
    public init() {}
    public var areActivitiesEnabled: Bool { false }
}
