import Foundation

/// A change of a person's number by an administrator, which the person can stop until it takes
/// effect.
public struct NumberMove: Codable, Equatable, Sendable {
    /// How long the person can stop it.
    public static let delay: Duration = .hours(24)

    public var phoneNumber: PhoneNumber
    public var takesEffectAt: Date

    public init(phoneNumber: PhoneNumber, takesEffectAt: Date) {
        self.phoneNumber = phoneNumber
        self.takesEffectAt = takesEffectAt
    }
}
