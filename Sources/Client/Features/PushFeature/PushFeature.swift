import Clients
import ComposableArchitecture
import Domain

/// Push messages to this device while the app is closed. Decides when to ask for permission, and
/// turns messages on or off. The front end shows the system's question only after a tap.
@Reducer
public struct PushFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The device's last status; nil until the device has reported it.
        public var status: PushStatus?
        /// True after a tap until the device reports.
        public var isBusy: Bool
        /// True if the app has asked for permission. After a refusal, the card explains how to
        /// allow messages, until the person closes it.
        public var hasAsked: Bool
        public var test: Test?
        public var error: UserFacingError?

        public init(
            status: PushStatus? = nil, isBusy: Bool = false, hasAsked: Bool = false,
            test: Test? = nil, error: UserFacingError? = nil
        ) {
            self.status = status
            self.isBusy = isBusy
            self.hasAsked = hasAsked
            self.test = test
            self.error = error
        }

        public var isOn: Bool { status?.endpoint != nil }

        /// The card that asks whether to turn messages on. A person without contacts sees it, too,
        /// because reminders are messages.
        public var card: Card? {
            guard let status, !isOn, !status.isPutOff else { return nil }
            return switch status.permission {
            case .undecided, .granted: status.hasFailed ? .failed : .question
            case .denied: hasAsked ? .denied : nil
            case .unsupported, .needsInstallation: nil
            }
        }
    }

    public enum Card: Equatable, Sendable {
        case question
        /// The person has just declined the system's question.
        case denied
        /// The person gave permission, but the device could not register.
        case failed
    }

    public enum Test: Equatable, Sendable { case sending, sent }

    public enum Action: Equatable, Sendable {
        case startStream
        case stopStream
        case statusChanged(PushStatus)
        case turnOnButtonTapped
        case turnOffButtonTapped
        case notNowButtonTapped
        case testButtonTapped
        /// The test has ended; nil means that the message was sent.
        case testResponse(UserFacingError?)
        case dismissError
    }

    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.pushClient) private var pushClient
    @Dependency(\.effectOwner) private var effectOwner

    private enum CancelID { case stream, test }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .startStream:
                return .run { send in
                    for await status in pushClient.status() { await send(.statusChanged(status)) }
                }
                .cancellable(id: effectOwner(CancelID.stream), cancelInFlight: true)
            case .stopStream:
                state.test = nil
                return .merge(
                    .cancel(id: effectOwner(CancelID.stream)),
                    .cancel(id: effectOwner(CancelID.test)))
            case .statusChanged(let status):
                state.status = status
                state.isBusy = false
                if status.endpoint == nil { state.test = nil }
                return .none
            case .turnOnButtonTapped:
                guard !state.isBusy else { return .none }
                state.isBusy = true
                state.hasAsked = true
                return .run { _ in await pushClient.turnOn() }
            case .turnOffButtonTapped:
                guard !state.isBusy else { return .none }
                state.isBusy = true
                return .run { _ in await pushClient.turnOff() }
            case .notNowButtonTapped:
                // Closes the explanation. The person may still follow it, so the device stores
                // nothing.
                if state.card == .denied {
                    state.hasAsked = false
                    return .none
                }
                // The device stores the choice and reports it. The card does not wait for that
                // report.
                state.status?.isPutOff = true
                return .run { _ in await pushClient.putOff() }
            case .testButtonTapped:
                return sendTest(&state)
            case .testResponse(let error):
                state.test = error == nil ? .sent : nil
                state.error = error
                return .none
            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }

    private func sendTest(_ state: inout State) -> Effect<Action> {
        guard let endpoint = state.status?.endpoint, state.test != .sending else { return .none }
        state.test = .sending
        state.error = nil
        return .run { send in
            try await notificationClient.testPushEndpoint(id: endpoint)
            await send(.testResponse(nil))
        } catch: { error, send in
            await send(.testResponse(UserFacingError(catching: error)))
        }
        .cancellable(id: effectOwner(CancelID.test))
    }
}

extension PushFeature.Card {
    public func title(in frontEnd: FrontEnd) -> String {
        switch (self, frontEnd) {
        case (.question, _): "Get alerts when LifeSignal is closed"
        case (.denied, .browser): "This browser blocks notifications"
        case (.denied, .app): "This device blocks notifications"
        case (.failed, _): "Notifications are not on yet"
        }
    }

    public func text(in frontEnd: FrontEnd) -> String {
        switch (self, frontEnd) {
        case (.question, .browser):
            """
            Turn on notifications, so that a call for help reaches you here with no page open, \
            and so that you are reminded of your own check-in.
            """
        case (.question, .app):
            """
            Turn on notifications, so that a call for help reaches you here, and so that you are \
            reminded of your own check-in.
            """
        case (.denied, _): frontEnd.wayToAllow
        case (.failed, _): frontEnd.pushServiceIsSilent
        }
    }

    /// The title of the button that turns messages on; nil if the system would not ask the person.
    public var turnOnTitle: String? {
        switch self {
        case .question: "Turn on notifications"
        case .failed: "Try again"
        case .denied: nil
        }
    }

    public var laterTitle: String { self == .denied ? "OK" : "Not now" }
}

extension PushFeature.State {
    /// This device's status in one or two words; nil before its first report.
    public var statusWords: String? {
        guard let status else { return nil }
        if isOn { return "On" }
        return switch status.permission {
        case .unsupported, .needsInstallation: "Not available"
        case .denied: "Blocked"
        case .undecided, .granted: "Off"
        }
    }

    public func explanationWords(in frontEnd: FrontEnd) -> String {
        guard let status else {
            return frontEnd == .browser ? "Asking the browser …" : "Asking the device …"
        }
        if isOn { return "You are told here when LifeSignal is closed." }
        return switch (status.permission, frontEnd) {
        case (.unsupported, .browser):
            """
            This browser can’t tell you anything while LifeSignal is closed. Keep a page \
            open, or use Firefox, Chrome, Edge or Safari with an https address.
            """
        case (.unsupported, .app):
            "This device can’t tell you anything while LifeSignal is closed."
        case (.needsInstallation, _):
            """
            On an iPhone or iPad, first press Share, then “Add to Home Screen”, and open \
            LifeSignal from there.
            """
        case (.denied, _): frontEnd.wayToAllow
        case (.undecided, .browser), (.granted, .browser):
            status.hasFailed
                ? frontEnd.pushServiceIsSilent : "You are told here only while a page is open."
        case (.undecided, .app), (.granted, .app):
            status.hasFailed
                ? frontEnd.pushServiceIsSilent
                : "You are told here only while LifeSignal is open."
        }
    }

    public var testSentWords: String? {
        guard test == .sent else { return nil }
        return
            """
            The test is sent. It appears within seconds. If it does not, see whether this \
            device is set to “Do not disturb”.
            """
    }

    public var testWords: String { test == .sending ? "Sending …" : "Send a test" }
}

extension FrontEnd {
    fileprivate var wayToAllow: String {
        switch self {
        case .browser:
            """
            To allow them, press the symbol beside the address, choose Notifications or \
            Permissions, then Allow, and load this page again.
            """
        case .app:
            """
            To allow them, open Settings, choose LifeSignal, then Notifications, and turn on \
            “Allow Notifications”.
            """
        }
    }

    fileprivate var pushServiceIsSilent: String {
        switch self {
        case .browser:
            "The browser’s own message service can’t be reached at the moment. Try again later."
        case .app:
            "This device’s message service can’t be reached at the moment. Try again later."
        }
    }
}
