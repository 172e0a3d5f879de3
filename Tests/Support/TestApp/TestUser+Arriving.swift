import Clients
import Domain
import Features

/// The first steps of many tests, performed in the store.
extension TestUser {
    public func send(signedOut action: AuthFeature.Action) {
        send(.screen(.presented(.signedOut(action))))
    }
    public func send(onboarding action: OnboardingFeature.Action) {
        send(.screen(.presented(.onboarding(action))))
    }
    public func send(tabs action: MainTabFeature.Action) {
        send(.screen(.presented(.main(action))))
    }
    public func send(
        tabs action: MainTabFeature.Action, ifShown isShown: (MainTabFeature.State) -> Bool
    ) {
        send(.screen(.presented(.main(action))), ifShown: isShown)
    }

    /// Signs in with the sent code. Throws the screen's `UserFacingError` if the sign-in is
    /// rejected.
    @discardableResult
    public func signIn(_ number: String, in app: TestApp) async throws -> SignedIn {
        // Codes need different times, so that the server can tell which is newer.
        if (try? app.code(for: number)) != nil { app.time.pass(.milliseconds(1)) }
        send(.appLaunched)
        try await shows("the sign-in", that: { $0.screen?.is(\.signedOut) == true })
        send(signedOut: .phoneNumberChanged(number))
        send(signedOut: .sendCodeButtonTapped)
        try await shows("the field for the code") { $0.screen?.signedOut?.codeSentTo }
        send(signedOut: .verificationCodeChanged(try app.code(for: number)))
        return try await shows("who is signed in, or why not") {
            state -> Result<SignedIn, UserFacingError>? in
            if let signedIn = state.signedIn { return .success(signedIn) }
            return state.screen?.signedOut?.error.map { .failure($0) }
        }.get()
    }

    public func onboard(_ name: String, note: String = "", hours: Int = 24) async throws {
        try await shows("the onboarding", that: { $0.screen?.is(\.onboarding) == true })
        send(onboarding: .nameChanged(name))
        send(onboarding: .emergencyNoteChanged(note))
        send(onboarding: .schedule(.kindChosen(.interval)))
        send(onboarding: .schedule(.customIntervalChanged(hours: hours)))
        for _ in OnboardingFeature.Step.allCases.dropFirst() { send(onboarding: .nextButtonTapped) }
        send(onboarding: .checkInButtonTapped)
        try await shows(
            "the last step", that: { $0.screen?.onboarding?.step == .responder })
        send(onboarding: .firstResponderChosen(.later))
        try await arrive()
    }

    /// Waits for the tabs and calls `appear`. Returns once the contacts and the profile are loaded.
    public func arrive() async throws {
        try await shows("the tabs", that: { $0.tabs != nil })
        appear()
        try await shows("a profile and a contact list from the server") { state -> Bool? in
            guard let tabs = state.tabs, state.connectivity.isOnline,
                state.connectivity.lastSynced != nil, !tabs.profile.phoneNumber.isEmpty,
                !tabs.responders.isLoading, !tabs.dependents.isLoading,
                !tabs.notifications.isLoading, !tabs.home.alert.isLoadingHistory
            else { return nil }
            return true
        }
    }

    /// Sends the actions of appearing tabs.
    public func appear() {
        for action: MainTabFeature.Action in [
            .onAppear, .home(.onAppear), .responders(.onAppear), .dependents(.onAppear),
            .profile(.onAppear),
        ] { send(tabs: action) }
    }

    /// Shows the user's own code in a sheet, and closes the sheet. Returns the code's state.
    public func showCode() async throws -> QRCodeFeature.State {
        send(tabs: .home(.qrCodeButtonTapped))
        send(tabs: .home(.qrCode(.presented(.onAppear))))
        let code = try await shows("the user's own code") { state in
            state.tabs?.home.qrCode.flatMap { $0.hasQRCode && $0.canShare ? $0 : nil }
        }
        send(tabs: .home(.qrCode(.dismiss)))
        return code
    }

    public func add(_ code: String, isResponder: Bool, isDependent: Bool) async throws {
        send(tabs: .linkOpened(code: code))
        try await shows(
            "whose code it is",
            that: {
                $0.tabs?.dependents.addContact.owner != nil
                    && $0.tabs?.dependents.addContact.isLoading == false
            })
        send(tabs: .dependents(.addContact(.isResponderChanged(isResponder))))
        send(tabs: .dependents(.addContact(.isDependentChanged(isDependent))))
        send(tabs: .dependents(.addContact(.addButtonTapped)))
        try await shows(
            "that the contact was added",
            that: { $0.tabs?.dependents.addContact.isSheetPresented == false })
    }
}

extension TestUser {
    /// Accepts the first request from a person who asked this user to be their responder.
    public func acceptRequest() async throws {
        let contact = try await shows("a request") { state in
            state.tabs?.dependents.contacts.contacts.first {
                $0.request(.dependent)?.isMine == false
            }
        }
        send(tabs: .dependents(.selectContact(contact)))
        send(tabs: .dependents(.contactDetails(.acceptButtonTapped(.dependent))))
        try await shows("that it was accepted") { state in
            state.tabs?.dependents.contacts.contacts[id: contact.id]?.isDependent == true
        }
        send(tabs: .dependents(.contactDetails(.closeButtonTapped)))
    }
}

extension TestApp {
    public func welcome(_ name: String, _ number: String, note: String = "") async throws
        -> TestUser
    {
        let user = TestUser("\(name)'s phone", in: self)
        try await user.signIn(number, in: self)
        try await user.onboard(name, note: note)
        return user
    }

    public func connect(
        _ dependent: TestUser, watchedBy responder: TestUser, mutually: Bool = false
    ) async throws {
        let code = try await dependent.showCode().qrCodeID
        try await responder.add(code, isResponder: mutually, isDependent: true)
        if mutually { try await dependent.acceptRequest() }
    }
}
