import ActivityKit
@_exported import Foundation
import SwiftUI

@available(iOS 14.0, *)
@MainActor @preconcurrency
public protocol Widget {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
@MainActor @preconcurrency
public protocol WidgetBundle {
    associatedtype Body: Widget
    @WidgetBundleBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension WidgetBundle {
    @MainActor @preconcurrency public static func main() { fatalError() }
}
@resultBuilder
public struct WidgetBundleBuilder {
    @MainActor
    public static func buildBlock<A: Widget, B: Widget>(_ first: A, _ second: B) -> WidgetPair {
        fatalError()
    }
}
public struct WidgetPair: Widget {
    public init() {}
    public var body: EmptyWidgetConfiguration { fatalError() }
}

@MainActor @preconcurrency
public protocol WidgetConfiguration {}
public struct EmptyWidgetConfiguration: WidgetConfiguration {}
extension WidgetConfiguration {
    nonisolated public func configurationDisplayName(_ name: LocalizedStringKey)
        -> some WidgetConfiguration
    { self }
    nonisolated public func description(_ description: LocalizedStringKey)
        -> some WidgetConfiguration
    { self }
    nonisolated public func supportedFamilies(_ families: [WidgetFamily])
        -> some WidgetConfiguration
    { self }
}
public enum WidgetFamily: Int, CaseIterable, Sendable {
    case systemSmall, systemMedium, systemLarge, systemExtraLarge
    case accessoryCircular, accessoryRectangular, accessoryInline
}
extension EnvironmentValues {
    public var widgetFamily: WidgetFamily { .systemSmall }
}
public struct StaticConfiguration<Content: View>: WidgetConfiguration {
    nonisolated public init<Provider: TimelineProvider>(
        kind: String, provider: Provider,
        @ViewBuilder content: @escaping (Provider.Entry) -> Content
    ) {}
}

public protocol TimelineEntry {
    var date: Date { get }
}
public struct Timeline<EntryType: TimelineEntry> {
    public init(entries: [EntryType], policy: TimelineReloadPolicy) {}
}
public struct TimelineReloadPolicy: Equatable, Sendable {
    public static let atEnd = TimelineReloadPolicy()
    public static let never = TimelineReloadPolicy()
    public static func after(_ date: Date) -> TimelineReloadPolicy { never }
}
public protocol TimelineProvider {
    associatedtype Entry: TimelineEntry
    typealias Context = TimelineProviderContext
    func placeholder(in context: Context) -> Entry
    @preconcurrency
    func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)
    @preconcurrency
    func getTimeline(
        in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)
}
public struct TimelineProviderContext: Sendable {
    public let isPreview: Bool
}
public final class WidgetCenter: Sendable {
    public static let shared = WidgetCenter()
    public func reloadAllTimelines() {}
}
@available(iOS 17.0, *)
public struct ContainerBackgroundPlacement: Sendable {
    public static let widget = ContainerBackgroundPlacement()
}
extension View {
    nonisolated public func containerBackground<S: ShapeStyle>(
        _ style: S, for container: ContainerBackgroundPlacement
    ) -> some View { self }
}

// MARK: Live Activities

public struct ActivityViewContext<Attributes: ActivityAttributes> {
    public let attributes: Attributes
    public let state: Attributes.ContentState
    public let isStale: Bool
}
@available(iOS 16.1, *)
public struct ActivityConfiguration<Attributes: ActivityAttributes>: WidgetConfiguration {
    nonisolated public init<Content: View>(
        for attributesType: Attributes.Type,
        @ViewBuilder content: @escaping (ActivityViewContext<Attributes>) -> Content,
        dynamicIsland: @escaping (ActivityViewContext<Attributes>) -> DynamicIsland
    ) {}
}
@available(iOS 16.1, *)
public struct DynamicIsland {
    public init<Expanded, CompactLeading: View, CompactTrailing: View, Minimal: View>(
        @DynamicIslandExpandedContentBuilder
        expanded: @escaping () -> DynamicIslandExpandedContent<Expanded>,
        @ViewBuilder compactLeading: @escaping () -> CompactLeading,
        @ViewBuilder compactTrailing: @escaping () -> CompactTrailing,
        @ViewBuilder minimal: @escaping () -> Minimal
    ) where Expanded: View {}
}
public struct DynamicIslandExpandedContent<Content: View> {}
public struct DynamicIslandExpandedRegionPosition: Sendable {
    public static let leading = DynamicIslandExpandedRegionPosition()
    public static let trailing = DynamicIslandExpandedRegionPosition()
    public static let bottom = DynamicIslandExpandedRegionPosition()
}
public struct DynamicIslandExpandedRegion<Content: View> {
    public init(
        _ position: DynamicIslandExpandedRegionPosition, priority: Double = 0,
        @ViewBuilder content: @escaping () -> Content
    ) {}
}
@resultBuilder
public struct DynamicIslandExpandedContentBuilder {
    public static func buildBlock<A: View, B: View>(
        _ first: DynamicIslandExpandedRegion<A>, _ second: DynamicIslandExpandedRegion<B>
    ) -> DynamicIslandExpandedContent<EmptyView> { fatalError() }
}
