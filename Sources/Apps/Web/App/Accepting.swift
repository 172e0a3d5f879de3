import ComposableArchitecture
import Features
import LivePages

/// The page in the browser may be older than the state. A press in a sheet that has already closed
/// is ignored, because no feature can receive its action.
extension AppFeature.State {
    func accepts(_ action: AppFeature.Action) -> Bool {
        if case .unsentAlertAnswered = action { return unsentAlert != nil }
        guard case .screen(let action) = action else { return true }
        switch (action, screen) {
        case (.dismiss, let screen): return screen != nil
        case (.presented(.signedOut), .signedOut), (.presented(.onboarding), .onboarding):
            return true
        case (.presented(.main(let action)), .main(let main)): return main.accepts(action)
        default: return false
        }
    }
}

extension MainTabFeature.State {
    func accepts(_ action: MainTabFeature.Action) -> Bool {
        switch action {
        case .dependentAlert: dependentAlert != nil
        case .home(.qrCode): home.qrCode != nil
        case .home(.month): home.month != nil
        case .home(.checkIn(.schedule)): home.checkIn.scheduleSheet != nil
        case .home(.checkIn(.pause(.confirmation))): home.checkIn.pause.confirmation != nil
        case .home(.alert(.confirmationAlert)): home.alert.confirmationAlert != nil
        case .responders(.contactDetails(.confirmation)):
            responders.contactDetails.confirmation != nil
        case .dependents(.contactDetails(.confirmation)):
            dependents.contactDetails.confirmation != nil
        case .dependents(.dependentAlert): dependents.dependentAlert != nil
        case .notifications(.confirmDelete): notifications.confirmDelete != nil
        case .profile(let action): profile.accepts(action)
        default: true
        }
    }
}

extension ProfileFeature.State {
    func accepts(_ action: ProfileFeature.Action) -> Bool {
        switch action {
        case .qrCode: qrCode != nil
        case .confirmSignOut: confirmSignOut != nil
        case .destination(.presented(.settings(.confirmation))): settings?.confirmation != nil
        case .destination(.presented(.settings(.endpoints(.confirmation)))):
            settings?.endpoints.confirmation != nil
        case .destination(.presented(.settings(.sources(.confirmation)))):
            settings?.sources.confirmation != nil
        case .destination(.presented(.settings(.passkeys(.confirmation)))):
            settings?.passkeys.confirmation != nil
        case .destination(.presented(.settings(.signInSecurity(.confirmation)))):
            settings?.signInSecurity.confirmation != nil
        case .destination(.presented(.settings)): settings != nil
        case .destination(.presented(.phoneNumberChange)): phoneNumberChange != nil
        case .destination(.dismiss): destination != nil
        default: true
        }
    }
}
