import Foundation

enum ClientProcess {
    /// Files for their user alone, and a reader that has gone is an error and no signal that kills.
    static func prepare() {
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
    }

    /// How the person finds this device among their sessions.
    static var deviceName: String {
        let name =
            ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? ""
        return name.isEmpty ? "lifesignal in a terminal" : "lifesignal on \(name.prefix(60))"
    }

    /// The device's name in codes that others scan. It leaves out the name of the machine.
    static var deviceModel: String {
        #if os(macOS)
        "Terminal on macOS"
        #else
        "Terminal on Linux"
        #endif
    }

    static var words: TimeWords { TimeWords(now: Date(), zone: .current) }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// True if somebody still reads the output: a pipe or a terminal can be closed while nothing is
    /// written.
    static var hasReader: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard poll(&output, 1, 0) > 0 else { return true }
        return Int32(output.revents) & Int32(POLLERR | POLLHUP | POLLNVAL) == 0
    }

    /// Columns and rows.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
