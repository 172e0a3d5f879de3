import HTTPServer
import Settings

extension LinkedApps {
    /// Throws `Failure`, which names the invalid option.
    init(ios: [String], android: [String], _ read: SettingReader) throws {
        self.init(
            ios: try read.list(ios, "IOS_APP").map { text in
                guard let app = IOSApp(text) else {
                    throw Failure(
                        """
                        --ios-app must be a team id and a bundle id, as \
                        TEAM012345.org.example.lifesignal; this is not: \(text)
                        """)
                }
                return app
            },
            android: try read.list(android, "ANDROID_APP").map { text in
                guard let app = AndroidApp(text) else {
                    throw Failure(
                        """
                        --android-app must be a package and the SHA-256 of its certificate (64 \
                        hexadecimal digits), as org.example.lifesignal=AA:BB:…; this is not: \
                        \(text)
                        """)
                }
                return app
            })
    }
}
