import ComposableArchitecture
import Foundation

/// A feature as a web app: where it begins, how it looks, and how addresses and actions belong
/// together.
public struct PageApp<Feature: Reducer & SendableMetatype, Resources: PageResources>: Sendable
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias State = Feature.State
    public typealias Action = Feature.Action

    /// A store for a session, made in the session's isolation, on the session's own dependencies.
    public var makeStore:
        @Sendable (_ resources: Resources, _ isolation: isolated any Actor) -> Store<State, Action>
    /// Sent once, when a session begins or is awakened.
    public var start: Action?
    public var view: @Sendable (State) -> HTML<Action>
    public var outline: @Sendable (State) -> Outline
    /// The actions that open an address; empty for one that changes nothing.
    public var open: @Sendable (_ path: String, State) -> [Action]
    /// True if addresses can be opened already. One that cannot waits until they can.
    public var canOpen: @Sendable (State) -> Bool
    /// True if the action's subject still exists: a page may be a moment behind.
    public var accepts: @Sendable (Action, State) -> Bool
    /// A file that is ready to be taken away, by its name.
    public var download: @Sendable (_ name: String, State) -> Download<Action>?
    /// True once the content of the first page is loaded.
    public var isSettled: @Sendable (State) -> Bool

    public init(
        makeStore: @escaping @Sendable (Resources, isolated any Actor) -> Store<State, Action>,
        start: Action? = nil,
        view: @escaping @Sendable (State) -> HTML<Action>,
        outline: @escaping @Sendable (State) -> Outline,
        open: @escaping @Sendable (String, State) -> [Action] = { _, _ in [] },
        canOpen: @escaping @Sendable (State) -> Bool = { _ in true },
        accepts: @escaping @Sendable (Action, State) -> Bool = { _, _ in true },
        download: @escaping @Sendable (String, State) -> Download<Action>? = { _, _ in nil },
        isSettled: @escaping @Sendable (State) -> Bool = { _ in true }
    ) {
        self.makeStore = makeStore
        self.start = start
        self.view = view
        self.outline = outline
        self.open = open
        self.canOpen = canOpen
        self.accepts = accepts
        self.download = download
        self.isSettled = isSettled
    }
}

/// A file that a feature has ready for the person.
public struct Download<Action: Sendable>: Sendable {
    var bytes: Data
    var mediaType: String
    /// Sent when it has been taken away, if that changes something.
    var handedOver: Action?

    public init(_ bytes: Data, mediaType: String, handedOver: Action? = nil) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.handedOver = handedOver
    }
}
