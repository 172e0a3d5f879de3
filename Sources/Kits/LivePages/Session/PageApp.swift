import ComposableArchitecture
import Foundation

/// What became of an act that the browser keeps until the server has stored it.
public enum KeptAct: Sendable { case stored, underWay, failed }

/// A feature as a web app: its initial state, its view, and how paths map to actions.
public struct PageApp<Feature: Reducer & SendableMetatype, Resources: PageResources>: Sendable
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias State = Feature.State
    public typealias Action = Feature.Action

    /// Creates a session's store, in the session's isolation and with the session's dependencies.
    public var makeStore:
        @Sendable (_ resources: Resources, _ isolation: isolated any Actor) -> Store<State, Action>
    /// Sent once, when a session begins or wakes up.
    public var start: Action?
    public var view: @Sendable (State) -> HTML<Action>
    public var outline: @Sendable (State) -> Outline
    /// Returns the actions that open a path. Returns an empty array if the path needs none.
    public var open: @Sendable (_ path: String, State) -> [Action]
    /// Returns true if the path can be opened now. Otherwise the path waits.
    public var canOpen: @Sendable (_ path: String, State) -> Bool
    /// Returns true if the object of the action still exists. A page can be out of date and refer
    /// to a deleted object.
    public var accepts: @Sendable (Action, State) -> Bool
    public var download: @Sendable (_ name: String, State) -> Download<Action>?
    /// Returns true if the content of the first page is loaded.
    public var isSettled: @Sendable (State) -> Bool
    /// Returns what became of the newest act that the browser keeps; `stored` without one.
    public var keptAct: @Sendable (State) -> KeptAct
    /// The path below which browsers reach the app, such as `/app`. Empty if the app has its host
    /// to itself. All other paths, also those from browsers, are without it.
    public var base: String

    public init(
        makeStore: @escaping @Sendable (Resources, isolated any Actor) -> Store<State, Action>,
        start: Action? = nil,
        view: @escaping @Sendable (State) -> HTML<Action>,
        outline: @escaping @Sendable (State) -> Outline,
        open: @escaping @Sendable (String, State) -> [Action] = { _, _ in [] },
        canOpen: @escaping @Sendable (String, State) -> Bool = { _, _ in true },
        accepts: @escaping @Sendable (Action, State) -> Bool = { _, _ in true },
        download: @escaping @Sendable (String, State) -> Download<Action>? = { _, _ in nil },
        isSettled: @escaping @Sendable (State) -> Bool = { _ in true },
        keptAct: @escaping @Sendable (State) -> KeptAct = { _ in .stored },
        base: String = ""
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
        self.keptAct = keptAct
        self.base = base
    }
}

public struct Download<Action: Sendable>: Sendable {
    var bytes: Data
    var mediaType: String
    /// The action to send after the download, if any.
    var handedOver: Action?

    public init(_ bytes: Data, mediaType: String, handedOver: Action? = nil) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.handedOver = handedOver
    }
}
