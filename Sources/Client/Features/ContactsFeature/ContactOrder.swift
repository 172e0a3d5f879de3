import Domain
import Foundation

extension ContactData {
    /// Names are sorted by the letters of the language, whatever the case, "Anna 9"
    /// before "Anna 10". Of one name, the one that was added first.
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
