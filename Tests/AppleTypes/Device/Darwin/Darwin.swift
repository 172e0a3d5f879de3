// The C library of Apple's systems. The app's sources only check whether this module can be
// imported. As on Apple's systems, they get its functions from Foundation.
@_exported import Foundation
