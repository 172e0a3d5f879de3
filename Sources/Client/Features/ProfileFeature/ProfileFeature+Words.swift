import Domain

extension ProfileFeature.State {
    /// True if a refusal is about the name; else it is about the note.
    public var isNameRefused: Bool { (try? ProfileRules.name(editingName)) == nil }

    public var waitingWords: String? {
        isWaitingToBeSent ? "A change of your profile is waiting to be sent." : nil
    }
    public var pictureWords: String {
        profilePictureURL == nil ? "Add a picture" : "Change picture"
    }
    public var saveWords: String { isLoading ? "Saving …" : "Save" }
}

extension PhoneNumberChangeFeature.State {
    public var closeWords: String { step == .done ? "Close" : "Cancel" }
    public var sendWords: String { isLoading ? "Sending …" : "Send code" }
    public var codeHint: String { "We texted it to \(newPhoneNumber)." }
    public var confirmWords: String { isLoading ? "Checking …" : "Change number" }
    public var doneWords: String {
        "Your number is now \(newPhoneNumber). You sign in with it from now on."
    }
}

extension EmailAddressFeature.State {
    public var sendWords: String { isLoading ? "Sending …" : "Send code" }
    public var codeHint: String {
        """
        It goes to \(status?.unverifiedAddress ?? "the address") once. If it does \
        not come, look among unwanted mail. Someone may have entered this address \
        before: enter it again in \(EmailRules.daysUntilSecondMessage) days for one more \
        message.
        """
    }
    public var confirmWords: String { isLoading ? "Checking …" : "Confirm" }
    public var confirmedWords: String { "Alerts come to \(status?.address ?? "your address")." }

    /// Mail to the address fails; nil while it arrives.
    public var failureWords: String? {
        status?.failingSince == nil
            ? nil : "Your mail provider says that there is no such mailbox. Use another address."
    }
}
