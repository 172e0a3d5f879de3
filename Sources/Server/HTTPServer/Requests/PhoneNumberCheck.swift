import CPhoneNumber
import Domain

/// Checks numbers by libphonenumber, so that no code is paid for a number that can't exist or that
/// earns somebody money. Toll-free, corporate (UAN), internet, satellite and personal numbers are
/// accepted: a message to them costs no more than usual, and some people have no other.
public struct PhoneNumberCheck: Sendable {
    /// The reason against a number, for the person who typed it; nil for a good one.
    private let objection: @Sendable (PhoneNumber) -> String?

    public init(isPossible: @escaping @Sendable (PhoneNumber) -> Bool) {
        objection = { isPossible($0) ? nil : Self.impossible }
    }

    private init(objection: @escaping @Sendable (PhoneNumber) -> String?) {
        self.objection = objection
    }

    /// Throws `invalidArgument` for a number that no phone can have, and for premium-rate and
    /// shared-cost numbers.
    public func callAsFunction(_ number: PhoneNumber) throws(CommandError) {
        if let objection = objection(number) {
            throw .invalidArgument(field: "phoneNumber", objection)
        }
    }

    /// - Parameter testNumbers: accepted as they are; fictional numbers are often impossible ones.
    public static func libphonenumber(except testNumbers: Set<PhoneNumber>) -> PhoneNumberCheck {
        PhoneNumberCheck(objection: { number in
            if testNumbers.contains(number) { return nil }
            return switch lifesignal_phone_number_check(number.text) {
            // When the library itself fails, nothing speaks against the number.
            case LIFESIGNAL_PHONE_NUMBER_VALID, LIFESIGNAL_PHONE_NUMBER_POSSIBLE,
                LIFESIGNAL_PHONE_NUMBER_CHECK_FAILED:
                nil
            case LIFESIGNAL_PHONE_NUMBER_COSTLY: costly
            default: impossible
            }
        })
    }

    private static let impossible =
        "There can be no such phone number. Check the country code and the digits."
    private static let costly =
        "This is a premium-rate or shared-cost number. Use the number of an ordinary phone."
}
