import Domain
import Foundation

/// Returns ids that are easy to tell apart in a failure.
func id<Tag>(_ number: UInt8) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

let ada: UserID = id(1)
let ben: UserID = id(2)
