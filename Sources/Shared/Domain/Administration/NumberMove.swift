import Foundation

/// A change of a person's number by an administrator, or with the sign-in lock by the person. Each
/// session can stop it until it takes effect.
public struct NumberMove: Codable, Equatable, Sendable {
    /// How long an administrator's change waits. The others wait for `SignInLockRules.wait`.
    public static let delay: Duration = .hours(24)

    public var phoneNumber: PhoneNumber
    public var takesEffectAt: Date

    public init(phoneNumber: PhoneNumber, takesEffectAt: Date) {
        self.phoneNumber = phoneNumber
        self.takesEffectAt = takesEffectAt
    }
}
