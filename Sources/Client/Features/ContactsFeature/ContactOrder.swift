import Domain
import Foundation

extension ContactData {
    /// Returns true if this name sorts first: by the language's alphabet, ignoring case, "Anna 9"
    /// before "Anna 10". For equal names, the contact that was added first sorts first.
    func isBefore(_ other: ContactData, in locale: Locale) -> Bool {
        switch name.compare(
            other.name, options: [.caseInsensitive, .numeric], range: nil, locale: locale)
        {
        case .orderedAscending: true
        case .orderedDescending: false
        case .orderedSame: (dateAdded, id) < (other.dateAdded, other.id)
        }
    }
}
