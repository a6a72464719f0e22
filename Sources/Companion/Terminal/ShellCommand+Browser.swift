extension ShellCommand {
    /// Opens a URL in the user's browser, if there is a display.
    package static func openInBrowser(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else { return }
        Task { await ShellCommand(text: "xdg-open '\(url)' >/dev/null 2>&1", environment: environment).run() }
    }
}
