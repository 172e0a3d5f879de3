import Clients
import ComposableArchitecture
import Domain
import Foundation

extension OnboardingFeature {
    public enum Step: Int, Equatable, Sendable, CaseIterable {
        case name, emergencyNote, interval, reminders, checkIn, responder
    }

    /// The way to the first responder.
    public enum FirstResponder: Equatable, Sendable {
        /// They scan the user's code, or get its link.
        case showCode
        case scanCode
        case later
    }
}

extension OnboardingFeature.State {
    /// Fills in what the person has not touched.
    mutating func fill(from profile: UserProfile) {
        if name.isEmpty { name = profile.name }
        if emergencyNote.isEmpty { emergencyNote = profile.emergencyNote }
        guard settings == .standard else { return }
        interval = profile.settings.interval
        remindTwoHoursBefore = profile.settings.remindTwoHoursBefore
        remindThirtyMinutesBefore = profile.settings.remindThirtyMinutesBefore
    }
}

extension OnboardingFeature.Action {
    var isInput: Bool {
        switch self {
        case .onAppear, .finishResponse, .onDisappear, .dismissError, .delegate: false
        case .profileLoaded, .nameChanged, .emergencyNoteChanged, .intervalPresetTapped,
            .customIntervalChanged, .twoHoursReminderToggled, .thirtyMinutesReminderToggled,
            .nextButtonTapped, .backButtonTapped, .checkInButtonTapped, .firstResponderChosen:
            true
        }
    }
}
