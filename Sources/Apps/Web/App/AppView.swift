import Domain
import Features
import LivePages

extension AppFeature {
    static func view(_ state: State) -> HTML<Action> {
        switch state.screen {
        case nil:
            alone(state) {
                main(.id("content"), .class("narrow")) {
                    h1 { "LifeSignal" }
                    loadingLine("Looking for your session …")
                }
                .key("launching")
            }
        case .signedOut(let auth):
            alone(state) {
                AuthFeature.view(auth, focusesNumber: !state.hasSignOutMessage)
                    .map { .screen(.presented(.signedOut($0))) }
            }
        case .onboarding(let onboarding):
            alone(state) {
                OnboardingFeature.view(onboarding).map { .screen(.presented(.onboarding($0))) }
            }
        case .main(let main):
            MainTabFeature.view(main, messages: messages(state)) { .screen(.presented(.main($0))) }
        }
    }

    private static func alone(_ state: State, @HTMLBuilder<Action> content: () -> HTML<Action>)
        -> HTML<Action>
    {
        let content = content()
        return div(.class("app")) {
            header(.class("top narrow")) {
                messages(state)
                openAtSignOut(state.openAtSignOut)
            }
            content
        }
        .key("alone")
    }

    private static func messages(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            announcement(.polite, .class("notice")) {
                if let words = state.connectivityWords {
                    div(.class("banner")) {
                        icon(.alert)
                        span(.class("grow")) {
                            words
                            if let time = state.knownUntil {
                                ", as of "
                                moment(time, .absolute)
                            }
                        }
                        actionButton("Try now", class: "plain", .retryButtonTapped)
                    }
                }
            }
            errorNotice(
                state.error, dismiss: .dismissError,
                isFocused: state.screen?.is(\.signedOut) == true)
            unsentAlertQuestion(state.unsentAlert, ids: state.lostAlertIDs)
        }
        .key("messages")
    }
}

extension AppFeature.State {
    /// True if the sign-in page shows a message above the form. A focused field would scroll the
    /// message off a small screen.
    fileprivate var hasSignOutMessage: Bool { openAtSignOut != nil || error != nil }
}
