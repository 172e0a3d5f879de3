@_exported import Foundation
import SwiftUI

public struct LocalizedStringResource: Equatable, Sendable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}
@available(iOS 16.0, *)
public protocol CustomLocalizedStringResourceConvertible {
    var localizedStringResource: LocalizedStringResource { get }
}
public struct IntentDescription: Sendable, ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {}
}
public struct IntentDialog: Sendable, ExpressibleByStringInterpolation {
    public init(_ text: LocalizedStringResource) {}
    public init(stringLiteral value: String) {}
}

@available(iOS 16.0, *)
public protocol AppIntent: Sendable {
    static var title: LocalizedStringResource { get }
    static var description: IntentDescription? { get }
    static var openAppWhenRun: Bool { get }
    static var authenticationPolicy: IntentAuthenticationPolicy { get }
    associatedtype PerformResult: IntentResult
    func perform() async throws -> PerformResult
    init()
}
extension AppIntent {
    public static var description: IntentDescription? { nil }
    public static var openAppWhenRun: Bool { false }
    public static var authenticationPolicy: IntentAuthenticationPolicy { .alwaysAllowed }
    @available(iOS 18.0, *)
    public func requestConfirmation(
        actionName: ConfirmationActionName = .continue, dialog: IntentDialog
    ) async throws {}
}
@available(iOS 17.0, *)
public protocol LiveActivityIntent: AppIntent {}
public enum IntentAuthenticationPolicy: Sendable {
    case alwaysAllowed, requiresAuthentication, requiresLocalDeviceAuthentication
}
public struct ConfirmationActionName: Sendable {
    public static let `continue` = ConfirmationActionName()
    public static let send = ConfirmationActionName()
}

public protocol IntentResult: Sendable {}
public protocol ProvidesDialog {}
public struct IntentResultContainer: IntentResult, ProvidesDialog {}
extension IntentResult where Self == IntentResultContainer {
    public static func result() -> Self { IntentResultContainer() }
    public static func result(dialog: IntentDialog) -> Self { IntentResultContainer() }
}

@propertyWrapper
public final class IntentParameter<Value: Sendable>: @unchecked Sendable {
    public init(title: LocalizedStringResource) {}
    public var wrappedValue: Value {
        get { fatalError() }
        set {}
    }
    public var projectedValue: IntentParameter<Value> { self }
}
extension AppIntent {
    public typealias Parameter = IntentParameter
}

@available(iOS 16.0, *)
public protocol AppEntity: Identifiable, Sendable where ID: Sendable {
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    var displayRepresentation: DisplayRepresentation { get }
    associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self
    static var defaultQuery: DefaultQuery { get }
}
public struct TypeDisplayRepresentation: Sendable, ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {}
}
public struct DisplayRepresentation: Sendable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}
public protocol EntityQuery: Sendable {
    associatedtype Entity: AppEntity
    func entities(for identifiers: [Entity.ID]) async throws -> [Entity]
    func suggestedEntities() async throws -> [Entity]
    init()
}
public protocol EntityStringQuery: EntityQuery {
    func entities(matching string: String) async throws -> [Entity]
}

@available(iOS 16.0, *)
public protocol AppShortcutsProvider {
    @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
}
@available(iOS 16.0, *)
extension AppShortcutsProvider {
    public static func updateAppShortcutParameters() {}
}
@resultBuilder
public struct AppShortcutsBuilder {
    public static func buildBlock(_ shortcuts: AppShortcut...) -> [AppShortcut] { shortcuts }
}
public struct AppShortcut {
    public init<Intent: AppIntent>(
        intent: Intent, phrases: [AppShortcutPhrase<Intent>],
        shortTitle: LocalizedStringResource, systemImageName: String
    ) {}
}
public struct AppShortcutPhrase<Intent: AppIntent>: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {}
        public mutating func appendInterpolation<Value>(
            _ parameter: KeyPath<Intent, IntentParameter<Value>>
        ) {}
    }
}
public enum AppShortcutPhraseToken: Sendable { case applicationName }

@available(iOS 17.0, *)
extension Button {
    nonisolated public init<I: AppIntent>(intent: I, @ViewBuilder label: () -> Label) {
        fatalError()
    }
}
