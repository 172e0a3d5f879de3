import Foundation

enum ClientProcess {
    /// Makes new files readable only by their user, and turns SIGPIPE into a write error.
    static func prepare() {
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
    }

    /// This device's name in the list of sessions.
    static var deviceName: String {
        let name =
            ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? ""
        return name.isEmpty ? "lifesignal in a terminal" : "lifesignal on \(name.prefix(60))"
    }

    /// This device's name in codes that other people scan. It omits the machine's name.
    static var deviceModel: String {
        #if os(macOS)
        "Terminal on macOS"
        #else
        "Terminal on Linux"
        #endif
    }

    static var words: TimeWords { TimeWords(now: Date(), zone: .current) }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether a terminal can redraw a page.
    /// - Parameter kind: the value of `TERM`.
    static func redraws(_ kind: String?) -> Bool { !["", "dumb"].contains(kind ?? "") }

    /// Whether the output still has a reader. A pipe or terminal may be closed between writes.
    static var hasReader: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard poll(&output, 1, 0) > 0 else { return true }
        return Int32(output.revents) & Int32(POLLERR | POLLHUP | POLLNVAL) == 0
    }

    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
