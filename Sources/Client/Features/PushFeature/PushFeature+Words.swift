import Clients

extension PushFeature.Card {
    public func title(in frontEnd: FrontEnd) -> String {
        switch (self, frontEnd) {
        case (.question, _): "Be told when LifeSignal is closed"
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

    /// The words on the button that turns messages on; nil when the system would not ask.
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
    /// How this device stands, in one or two words; nil before its first report.
    public var statusWords: String? {
        guard let status else { return nil }
        if isOn { return "On" }
        return switch status.permission {
        case .unsupported, .needsInstallation: "Not available"
        case .denied: "Blocked"
        case .undecided, .granted: "Off"
        }
    }

    /// The meaning of the status, and what to do about it.
    public func statusText(in frontEnd: FrontEnd) -> String {
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

    /// After a test was sent; nil otherwise.
    public var testText: String? {
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
