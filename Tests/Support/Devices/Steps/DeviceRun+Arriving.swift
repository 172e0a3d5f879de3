import API
import ClientsLive
import Domain
import Features
import Foundation

/// Signing in, onboarding and meeting. Each step is repeated until it succeeds.
extension DeviceRun {
    func arrive(_ device: Device) async throws {
        tell("\(device.name) signs in")
        await device.start()
        _ = await device.shows(within: .seconds(60)) { $0.screen != nil }
        for _ in 0..<60 where device.state.screen?.is(\.signedOut) == true {
            try await enterCode(device)
        }
        for _ in 0..<60 where device.state.screen?.is(\.onboarding) == true {
            await onboard(device)
        }
        guard device.tabs != nil else { return note("arriving", "\(device.name) never arrives") }
        await observe(device)
    }

    private func enterCode(_ device: Device) async throws {
        await device.send(.screen(.presented(.signedOut(.phoneNumberChanged(device.phoneNumber)))))
        await device.send(.screen(.presented(.signedOut(.sendCodeButtonTapped))))
        _ = await device.shows(within: .seconds(60)) { $0.screen?.signedOut?.isLoading != true }
        // If the first answer was lost, the code has been sent but the screen doesn't ask for it.
        guard device.state.screen?.signedOut?.codeSentTo != nil,
            let code = try server.code(for: device.phoneNumber)
        else { return }
        await device.send(.screen(.presented(.signedOut(.verificationCodeChanged(code)))))
        _ = await device.shows(within: .seconds(60)) { $0.screen?.signedOut?.isLoading != true }
        guard device.state.screen?.is(\.signedOut) == true else { return }
        // If the answer to the sign-in was lost, the code has been used up.
        await device.send(.screen(.presented(.signedOut(.changePhoneNumberButtonTapped))))
    }

    private func onboard(_ device: Device) async {
        func send(_ action: OnboardingFeature.Action) async {
            await device.send(.screen(.presented(.onboarding(action))))
        }
        await send(.nameChanged(device.name))
        await send(.schedule(.kindChosen(.interval)))
        await send(.schedule(.customIntervalChanged(hours: 24)))
        while let step = device.state.screen?.onboarding?.step, step != .checkIn {
            await send(.nextButtonTapped)
            guard device.state.screen?.onboarding?.step != step else { break }
        }
        press(device, .interval(24 * 3_600))
        await send(.checkInButtonTapped)
        _ = await device.shows(within: .seconds(90)) { $0.screen?.onboarding?.isLoading != true }
        await send(.firstResponderChosen(.later))
    }

    /// Signs in the person's observer, a session that only reads the server's state.
    private func observe(_ device: Device) async {
        let person = device.person
        do {
            guard try await observers[person].signedInUser() == nil else { return }
            try await clock.sleep(for: .milliseconds(1))
            let id = try await observers[person].sendCode(to: device.phoneNumber)
            guard let code = try server.code(for: device.phoneNumber) else { return }
            _ = try await observers[person].signIn(
                SignInRequest(
                    phoneNumber: device.phoneNumber, code: code, deviceName: "Observer",
                    requestID: id))
        } catch {
            note("the run", "the observer of \(device.name) can't sign in: \(error)")
        }
    }

    /// Connects the people: all others watch over the first person, who watches over the second.
    func meet() async throws {
        let code = try await observers[0].call(Routes.qrCode).id
        for device in devices[..<options.people].dropFirst() {
            let isAdded = await add(
                device, code: code, isResponder: device.person == 1, isDependent: true)
            if !isAdded { note("meeting", "\(device.name) can't add \(devices[0].name)") }
        }
        try await clock.sleep(for: .seconds(5))
        let asked = devices[0].tabs?.dependents.contacts.contacts.first {
            $0.requests.contains { !$0.isMine }
        }
        if let asked { await answer(devices[0], asked, accepts: true) }
        try await clock.sleep(for: .seconds(5))
    }
}
