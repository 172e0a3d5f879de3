import API
import Domain
import Foundation

extension UserFacingError {
    static func invalid(_ problem: Problem, _ operation: ClientOperation) -> UserFacingError {
        func words(_ message: String, _ suggestion: String) -> UserFacingError {
            UserFacingError(operation, message, suggestion, .invalidArgument)
        }
        switch (problem.field, operation) {
        case ("name", .invite):
            return words(
                "This name can’t be used in a message.",
                "Use at most 40 letters, without digits, links or symbols.")
        case ("phoneNumber", .invite):
            return words(
                "This number can’t be invited.",
                """
                Enter another person’s number, starting with +. There can be \
                \(InvitationRules.limit) invitations and \(ContactRules.limit) contacts.
                """)
        case ("emailAddress", .invite):
            return words(
                "This address can’t be invited.",
                """
                Enter another person’s address, like mia@example.org. There can be \
                \(InvitationRules.limit) invitations and \(ContactRules.limit) contacts.
                """)
        case ("name", _):
            return words(
                "Enter your name.", "Use 1 to 100 characters on one line.")
        case ("emergencyNote", _):
            return words(
                "An emergency note has at most 4,000 characters.", "Shorten the note and try again."
            )
        case ("phoneNumber", _):
            return words(
                "There is no such phone number.",
                "Start with +, e.g. +1 555 0100, and check the digits.")
        case ("deviceName", _):
            return words(
                "A device name has 1 to 100 characters.", "Correct the device’s name and try again."
            )
        case ("code", .addContact) where problem.reason == .ownCode:
            return words("This is your own code.", "Scan the code of the other person.")
        case ("code", .addContact) where problem.reason == .contactsFull:
            return words(
                "You have as many contacts as there can be.", "Remove one before you add another.")
        case ("code", .addContact) where problem.reason == .otherContactsFull:
            return words(
                "This person has as many contacts as there can be.",
                "Ask them to remove one, then scan again.")
        case (_, .startDrill): return drill(problem)
        case ("code", .addContact), (_, .lookUpQRCode):
            return words(
                "This is not a LifeSignal code.", "Scan the code in the other person’s app.")
        case ("address", _):
            return words(
                "That is no e-mail address.", "Enter it like ana@example.org, and check it.")
        case ("code", .confirmEmail):
            return words(
                "That code is wrong, or has expired.",
                "Check the message, or use another address.")
        case ("code", _): return words("The code has 6 digits.", "Type it as it is in the message.")
        case (_, .uploadPicture):
            return words("This file is not a whole PNG or JPEG picture.", "Choose another picture.")
        case (_, .readQRCode):
            return words(
                "No code was found in the picture.",
                "Take it again: closer, straight and in good light.")
        case ("requests", _):
            return words(
                "\(ContactRules.openRequests) of your requests wait for an answer.",
                "Take one back first.")
        case ("isResponder", _), ("isDependent", _), (_, .action(.changeRoles)):
            return words(
                "A contact is a responder, a dependent, or both.",
                "Choose at least one role, or remove the contact.")
        case ("intervalSeconds", _), (_, .action(.updateSettings)):
            return words(
                "A check-in interval is between 1 hour and 7 days.", "Choose another interval.")
        case ("occurredAt", _):
            return words(
                "The time of this check-in can’t be right.",
                "Check the date and time of this device, then check in again.")
        case (_, .action(.endAlert)):
            return words("An alert about a missed check-in ends with a check-in.", "Check in.")
        case ("muted", _): return words("Alerts can’t be muted.", "Choose other types to mute.")
        case (_, .saveDevice):
            return words(
                "This endpoint can’t be registered.",
                "Check its address, or remove one you do not need.")
        default:
            return words("Something you entered can’t be used.", "Check it and try again.")
        }
    }

    private static func drill(_ problem: Problem) -> UserFacingError {
        func words(_ message: String, _ suggestion: String) -> UserFacingError {
            UserFacingError(.startDrill, message, suggestion, .invalidArgument)
        }
        return switch problem.reason {
        case .drillToday:
            words("You had a test in the last 24 hours.", "Start the next one tomorrow.")
        case .noResponders:
            words("Nobody has agreed to be your responder yet.", "Add a responder first.")
        case .alertOpen:
            words("Your alert is open, so this is no time for a test.", "Start it afterwards.")
        default: words("There can be no test now.", "Try again later.")
        }
    }
}
