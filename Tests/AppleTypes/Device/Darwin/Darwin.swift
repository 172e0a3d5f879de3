// The C library of Apple's systems. The app's sources only check whether this module can be
// imported. They get its functions from Foundation, as on Apple's systems.
@_exported import Foundation
