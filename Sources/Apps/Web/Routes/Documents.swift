import LivePages

extension Document {
    /// The page around the parts of the app.
    static let lifeSignal = Document(
        assets: Assets.library,
        head: """
            <meta name="color-scheme" content="light dark">\
            <meta name="theme-color" content="#f6f7f4" media="(prefers-color-scheme: light)">\
            <meta name="theme-color" content="#101614" media="(prefers-color-scheme: dark)">
            """,
        beforeContent: """
            <a class="skip" href="#content">Skip to content</a>\
            <div id="connection" class="connection-banner" role="status"></div>\(withoutConnection)
            """,
        afterContent: """
            \(calling)<div id="presses" class="unseen" role="status"></div>
            """,
        withoutScript: """
            <p class="connection-banner">LifeSignal needs JavaScript to keep this page up to \
            date.</p>
            """)

    /// The page that the service worker shows without a connection, with the two buttons that work
    /// then.
    static let shell = lifeSignal.text(
        title: "LifeSignal", attributes: [("shell", "")],
        content: """
            <div id="page" data-p="shell"><main class="shell" id="content"><h1>LifeSignal</h1>\
            <p>You are offline. What you press here is kept, and sent when you’re back online.</p>\
            <button type="button" class="check-in-button" data-offline="checkIn">Check in</button>\
            <button type="button" class="alert-button" data-offline="alert" aria-label="Alert">\
            <span>Alert</span><small>Call for help: press 4 times</small></button></main></div>
            """
    )

    /// Shown while a page waits for its cookie. It reloads by itself.
    static let soon = plain("Just a moment", "LifeSignal is opening …")

    static let missing = plain(
        "There is nothing here",
        "This address leads to no page of LifeSignal. Perhaps a part of the link was lost.")
    static let tooBusy = plain("Too many people at the moment", "Please try again in a minute.")

    /// A page without the script.
    private static func plain(_ title: String, _ words: String) -> String {
        lifeSignal.text(
            title: "\(title) · LifeSignal", hasScript: false,
            content: """
                <main class="shell" id="content"><h1>\(title)</h1><p>\(words)</p>\
                <p><a class="button primary" href="/">Go to LifeSignal</a></p></main>
                """
        )
    }

    /// The phone numbers that the script has kept.
    private static let withoutConnection = """
        <details id="numbers" hidden><summary>Phone numbers</summary>\
        <ul class="stack"></ul></details>
        """
    private static let calling = """
        <template id="calling-template"><dialog id="calling" role="alertdialog" \
        aria-labelledby="calling-title" aria-describedby="calling-words">\
        <div class="stack" role="alert"><h1 id="calling-title"></h1>\
        <p id="calling-words"></p></div>\
        <p id="calling-try"></p>\
        <ul id="calling-people" class="stack"></ul>\
        <p id="calling-nobody" hidden>\
        <strong>Phone your local emergency number, or shout for help.</strong></p>\
        <button type="button" id="calling-continue" class="wide">Continue</button>\
        <div id="calling-ending" class="stack">\
        <button type="button" id="calling-end" class="hold-button wide" data-hold \
        data-hold-seconds="3">I am safe: hold to end</button>\
        <button type="button" id="calling-end-tap" class="plain wide">\
        End it without holding</button></div></dialog></template>
        """
}
