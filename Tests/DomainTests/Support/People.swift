import Domain
import Foundation

/// Returns an id that ends with `number`, so that ids in failures are easy to tell apart.
func id<Tag>(_ number: UInt8) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

let ada: UserID = id(1)
let ben: UserID = id(2)
