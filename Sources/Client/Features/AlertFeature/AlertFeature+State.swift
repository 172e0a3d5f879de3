import Clients
import ComposableArchitecture
import Domain
import Foundation

extension AlertFeature.State {
    public init(
        isAlertActive: Bool = false, activationProgress: Double = 0.0,
        deactivationProgress: Double = 0.0, alertStartTime: Date? = nil,
        alertEndTime: Date? = nil, alertHistory: [AlertRecord] = [],
        isActivatingAlert: Bool = false, isDeactivatingAlert: Bool = false,
        isLoadingHistory: Bool = false, error: String? = nil
    ) {
        self.isAlertActive = isAlertActive
        self.activationProgress = activationProgress
        self.deactivationProgress = deactivationProgress
        self.alertStartTime = alertStartTime
        self.alertEndTime = alertEndTime
        self.alertHistory = alertHistory
        self.isActivatingAlert = isActivatingAlert
        self.isDeactivatingAlert = isDeactivatingAlert
        self.isLoadingHistory = isLoadingHistory
        self.error = error
    }

    /// Seconds; 0 without an alert, and never less: a server's clock may be a little ahead.
    public var alertDuration: TimeInterval {
        guard let alertStartTime, let end = alertEndTime ?? now else { return 0 }
        return max(0, end.timeIntervalSince(alertStartTime))
    }

    /// `05:12`, or `01:05:12` from an hour on.
    public var formattedAlertDuration: String {
        let duration = Int(alertDuration)
        let (hours, minutes, seconds) = (duration / 3600, duration % 3600 / 60, duration % 60)
        let parts = hours > 0 ? [hours, minutes, seconds] : [minutes, seconds]
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    public var canActivateAlert: Bool {
        !isAlertActive && !isActivatingAlert && !isDeactivatingAlert
    }
    public var canDeactivateAlert: Bool {
        isAlertActive && !isActivatingAlert && !isDeactivatingAlert
    }
    public var isFullyActivated: Bool { activationProgress >= 1.0 }
    public var isFullyDeactivated: Bool { deactivationProgress >= 1.0 }

    /// The server's record of the open alert; nil before the server has it.
    public var currentAlert: AlertRecord? {
        alertID.flatMap { id in alertHistory.first { $0.id == id.description } }
    }

    /// "Will be sent".
    public var isWaitingToBeSent: Bool { isSendingStart || isSendingEnd }

    /// The text about unsent actions; nil when there are none.
    public var waitingText: String? {
        if isSendingStart {
            return
                """
                Your alert will be sent as soon as LifeSignal can be reached. In an emergency, \
                call for help directly.
                """
        }
        if isSendingEnd {
            return "The end of your alert will be sent as soon as LifeSignal can be reached."
                + (hasResponders == false ? "" : " Until then your responders see it as open.")
        }
        return nil
    }

    mutating func apply(_ connectivity: Connectivity) {
        isSendingStart =
            isRetrying || connectivity.waiting.contains { $0.kind == .raiseAlert }
        isSendingEnd = connectivity.waiting.contains { $0.kind == .endAlert }
        if !isSendingEnd { endingAlertID = nil }
    }

    /// Raising it was refused, and is tried again.
    var isRetrying: Bool { failedActivations > 0 }
    var isTiming: Bool { isAlertActive && alertEndTime == nil && isOnScreen && isAppActive }

    /// A first page stands in the place of what was there. What was read of single alerts stays,
    /// and so does the open alert: the page may be older than both.
    mutating func show(_ page: AlertFeature.AlertHistoryPage) {
        nextHistoryPage = page.next
        let known = alertHistory
        if page.isFirst { alertHistory = known.filter { $0.id == alertID?.description } }
        for alert in page.alerts {
            let details = known.first { $0.id == alert.id }
            keepInHistory(details.map { alert.keepingDetails(of: $0) } ?? alert)
        }
    }

    /// Puts an alert in its place, or a newer state of it in place of the one that is there.
    mutating func keepInHistory(_ alert: AlertRecord) {
        if let index = alertHistory.firstIndex(where: { $0.id == alert.id }) {
            alertHistory[index] = alert.keepingDetails(of: alertHistory[index])
        } else {
            let place =
                alertHistory.firstIndex { $0.startTime < alert.startTime } ?? alertHistory.endIndex
            alertHistory.insert(alert, at: place)
        }
    }
}

extension AlertFeature {
    /// The user's own alerts.
    public struct AlertStatus: Equatable, Sendable {
        public var alerts: [AlertRecord]
        /// True if every alert that is not among them is over.
        public var isComplete: Bool

        public init(alerts: [AlertRecord], isComplete: Bool) {
            self.alerts = alerts
            self.isComplete = isComplete
        }
    }

    /// A part of the history.
    public struct AlertHistoryPage: Equatable, Sendable {
        public var alerts: [AlertRecord]
        /// The cursor of the next page; nil at the end.
        public var next: String?
        public var isFirst: Bool

        public init(alerts: [AlertRecord], next: String?, isFirst: Bool) {
            self.alerts = alerts
            self.next = next
            self.isFirst = isFirst
        }

        static let none = Self(alerts: [], next: nil, isFirst: true)
    }
}
