import Domain
import Features
import LivePages

extension Document {
    /// - Parameter base: see `PathPrefix`.
    static func lifeSignal(below base: String) -> Document {
        Document(
            assets: Assets.library, base: base,
            head: """
                <meta name="color-scheme" content="light dark">\
                <meta name="theme-color" content="#f6f7f4" media="(prefers-color-scheme: light)">\
                <meta name="theme-color" content="#101614" media="(prefers-color-scheme: dark)">
                """,
            beforeContent: """
                <a class="skip" href="#content">Skip to content</a>\
                <div id="connection" class="connection-banner" role="status"></div>\
                <div id="refused" class="banner"><p class="grow"></p>\
                <button type="button" class="plain">Hide this message</button></div>\
                \(withoutConnection)
                """,
            afterContent: """
                \(calling)<div id="presses" class="unseen" role="status"></div>
                """,
            withoutScript: """
                <p class="connection-banner">LifeSignal needs JavaScript. Alert and Check in don’t \
                work without it: phone someone.</p>
                """)
    }

    /// The offline page (the shell). The service worker shows it, with the buttons that work
    /// offline. Its own script fills in the user's open alerts and journey.
    var shell: String {
        text(
            title: "LifeSignal", attributes: [("shell", "")],
            content: """
                <div id="page" data-p="shell"><main class="shell" id="content">\
                <h1>LifeSignal</h1><p id="kept">You are offline. What you press here is kept, and \
                sent when you’re back online.</p>\
                <div id="own" class="stack" hidden>\
                <section id="own-alert" class="card critical" \
                aria-labelledby="own-alert-title" hidden>\
                <h2 id="own-alert-title">Your alert is on</h2><p></p>\
                <button type="button" class="primary wide" data-tap>I am safe, end it</button>\
                </section>\
                \(alarm("missed", RefusalWords.endOfMissedCheckIn.detail))\
                \(alarm("late", RefusalWords.endOfJourney.detail))\
                <section id="own-journey" class="card" aria-labelledby="own-journey-title" \
                hidden><h2 id="own-journey-title"></h2>\
                <p>\(JourneyWords.back) <span></span></p>\
                <button type="button" class="primary wide" data-tap>\(JourneyWords.arrived)\
                </button><button type="button" class="wide" data-tap>\(JourneyWords.extend)\
                </button></section></div>\
                <button type="button" class="check-in-button" \
                data-offline="checkIn">Check in</button>\
                <button type="button" class="alert-button" data-offline="alert" \
                aria-label="Alert"><span>Alert</span><small>\(AlertFeature.pressHint)</small>\
                </button>\
                <div id="not-sent" role="alert"></div>\
                <section id="known" class="stack" hidden>\
                <h2>People you watch over</h2>\
                <ul class="stack" data-watched></ul></section></main></div>\
                <script type="module" src="\(base)\(assets.path("shell.js"))"></script>
                """
        )
    }

    /// The user's own open alert that the server has raised.
    private func alarm(_ name: String, _ words: String) -> String {
        """
        <section id="own-\(name)" class="card critical" aria-labelledby="own-\(name)-title" \
        hidden><h2 id="own-\(name)-title"></h2><p></p><p>\(words)</p></section>
        """
    }

    /// Shown until the page's cookie arrives. Reloads by itself.
    var soon: String { plain("Just a moment", "LifeSignal is opening …") }

    var missing: String {
        plain(
            "There is nothing here",
            "LifeSignal has no page at this address. Part of the link may be missing.")
    }

    var tooBusy: String { plain("Too many people at the moment", "Please try again in a minute.") }

    private func plain(_ title: String, _ words: String) -> String {
        text(
            title: "\(title) · LifeSignal", hasScript: false,
            content: """
                <main class="shell" id="content"><h1>\(title)</h1><p>\(words)</p>\
                <p><a class="button primary" href="\(base)/">Go to LifeSignal</a></p></main>
                """
        )
    }

    /// The script fills this list with the people and numbers that it has stored.
    private static let withoutConnection = """
        <details id="numbers" hidden><summary>People and phone numbers</summary>\
        <ul class="stack"></ul></details>
        """
    /// The question shows one of its three sentences: the first without, the second with a banner
    /// about the connection, the third for a user without responders (`phoneNumbers`).
    ///
    /// The script reads the seconds and the number of presses from here. They come from
    /// `AlertRules`.
    private static let calling = """
        <template id="calling-template"><dialog id="calling" role="alertdialog" \
        aria-labelledby="calling-title" aria-describedby="calling-words">\
        <div class="stack" role="alert"><h1 id="calling-title"></h1>\
        <p id="calling-words"></p></div>\
        <p id="calling-try"></p>\
        <ul id="calling-people" class="stack" data-message="\(AlertFeature.textMessage)"></ul>\
        <p id="calling-nobody" hidden>\
        <strong>Phone your local emergency number, or shout for help.</strong></p>\
        <button type="button" id="calling-continue" class="wide">Continue</button>\
        <div id="calling-ending" class="stack">\
        <button type="button" id="calling-end" class="hold-button wide" data-hold \
        data-hold-seconds="\(seconds(AlertRules.hold))">I am safe: hold to end</button>\
        <button type="button" id="calling-end-tap" class="plain wide">\
        End it without holding</button></div></dialog></template>\
        <template id="ask-alert-template" data-presses="\(AlertRules.presses)" \
        data-confirm="\(AlertFeature.confirmHint)" \
        data-timeout="\(seconds(AlertRules.tapTimeout))" \
        data-long-timeout="\(seconds(AlertRules.longTapTimeout))">\
        <dialog id="ask-alert" class="question" role="alertdialog" \
        aria-labelledby="ask-alert-title" aria-describedby="ask-alert-words">\
        <h2 id="ask-alert-title">Call for help?</h2>\
        <p id="ask-alert-words"><span class="reached">Your responders are alerted at once.</span>\
        <span class="away">Your alert is sent once there is a connection. Phone someone as well.\
        </span><span class="alone">You have no responders: no one will be told. Call for help \
        directly.</span></p><div class="stack">\
        <button type="button" class="wide danger">Call for help now</button>\
        <button type="button" class="wide">Cancel</button></div></dialog></template>
        """

    private static func seconds(_ duration: Duration) -> Int { Int(duration / .seconds(1)) }
}
