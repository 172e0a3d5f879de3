import ComposableArchitecture
import Domain
import Foundation

private enum PhoneCountryKey: DependencyKey {
    static let liveValue = Locale.current.region.flatMap { PhoneCountry($0.identifier) }
    static let testValue: PhoneCountry? = nil
}

extension DependencyValues {
    /// The preselected country of a phone number; nil if the device's country is not known.
    public var phoneCountry: PhoneCountry? {
        get { self[PhoneCountryKey.self] }
        set { self[PhoneCountryKey.self] = newValue }
    }
}
