import CPhoneNumber
import Domain

/// What libphonenumber knows of a number, so that no code is paid for one that can't exist.
public struct PhoneNumberCheck: Sendable {
    private let isPossible: @Sendable (PhoneNumber) -> Bool

    public init(isPossible: @escaping @Sendable (PhoneNumber) -> Bool) { self.isPossible = isPossible }

    /// Throws `invalidArgument` for a number that no phone can have.
    public func callAsFunction(_ number: PhoneNumber) throws(CommandError) {
        guard isPossible(number) else {
            throw .invalidArgument(field: "phoneNumber", "There can be no such phone number. Check the country code and the digits.")
        }
    }

    /// - Parameter testNumbers: accepted as they are; fictional numbers are often impossible ones.
    public static func libphonenumber(except testNumbers: Set<PhoneNumber>) -> PhoneNumberCheck {
        PhoneNumberCheck { number in
            if testNumbers.contains(number) { return true }
            // When the library itself fails, nothing speaks against the number.
            let accepted = [LIFESIGNAL_PHONE_NUMBER_VALID, LIFESIGNAL_PHONE_NUMBER_POSSIBLE, LIFESIGNAL_PHONE_NUMBER_CHECK_FAILED]
            return accepted.contains(lifesignal_phone_number_check(number.text))
        }
    }
}
