import Domain
import Synchronization

/// Who may open an account, and which numbers get codes before they have one.
public struct SignUpPolicy: Sendable, Equatable {
    /// nil for the mode that the first start stored in the database.
    public var mode: SignUpMode?
    /// nil for all countries.
    public var countries: Set<CallingCode>?
    /// True if numbers of existing people's countries get codes, too.
    public var includesCountriesOfPeople: Bool

    public init(
        mode: SignUpMode?, countries: Set<CallingCode>?, includesCountriesOfPeople: Bool
    ) {
        self.mode = mode
        self.countries = countries
        self.includesCountriesOfPeople = includesCountriesOfPeople
    }
}

/// The policy of a running server, which the operator can change.
public final class LiveSignUpPolicy: Sendable {
    private let value: Mutex<SignUpPolicy>

    public init(_ policy: SignUpPolicy) { value = Mutex(policy) }

    /// - Parameter withCountries: false to keep the countries.
    public func change(to policy: SignUpPolicy, withCountries: Bool = true) {
        value.withLock {
            $0.mode = policy.mode
            guard withCountries else { return }
            $0 = policy
        }
    }

    var current: SignUpPolicy { value.withLock { $0 } }
}
