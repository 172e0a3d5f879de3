import Domain

extension AuthFeature.State {
    public var sendWords: String { isLoading ? "Sending …" : "Send code" }
    public var verifyWords: String { isLoading ? "Checking …" : "Sign in" }

    /// How often one may still err; nil before the first time.
    public var triesWords: String? {
        switch attemptsLeft {
        case SignInRules.triesPerCode...: nil
        case 1: "1 try left."
        case 0: "No tries left. Ask for another code."
        default: "\(attemptsLeft) tries left."
        }
    }
}
