import Domain

extension OnboardingFeature.State {
    /// The step has a field that tells what is wrong with it.
    public var hasFieldOfItsOwn: Bool {
        switch step {
        case .name, .emergencyNote, .interval: true
        case .reminders, .checkIn, .responder: false
        }
    }

    public var stepWords: String {
        "Step \(step.rawValue + 1) of \(OnboardingFeature.Step.allCases.count)"
    }

    public var title: String {
        switch step {
        case .name: "What is your name?"
        case .emergencyNote: "What should your responders know?"
        case .interval: "How often do you want to check in?"
        case .reminders: "When do you want to be reminded?"
        case .checkIn: "Your first check-in"
        case .responder: "Who should we tell?"
        }
    }

    public var firstCheckInWords: String {
        """
        From now on you check in every \(interval.words). The time begins when you \
        press the button.
        """
    }
    public var checkInButtonWords: String { isLoading ? "Checking in …" : "Check in" }
}
