struct Detect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switches detection on or off; off really closes the camera.",
        discussion: """
            Waits for the daemon to confirm it on detect/state.

            Examples:
              facet detect off
              facet detect on --camera porch
            """
    )

    enum Wish: String, CaseIterable, ExpressibleByArgument {
        case on
        case off
    }

    @Argument(help: "on or off.")
    var wish: Wish

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        Console.print(line: try await DetectCommand.send(broker.access(), isOn: wish == .on))
    }
}
