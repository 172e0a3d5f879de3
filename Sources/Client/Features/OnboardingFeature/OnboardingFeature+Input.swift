import Clients
import ComposableArchitecture
import Domain
import Foundation

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
        default: true
        }
    }
}
