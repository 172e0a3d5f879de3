// The C library of Apple's systems. The app's sources only check whether it can be imported. Its
// functions come from Foundation, as on Apple's systems.
@_exported import Foundation
