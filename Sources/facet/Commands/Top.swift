struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows each face with its last seconds, live, and the events below.",
        discussion: """
            One row for each face: how long this command has seen it, its smile, its open eyes, its looks and its angles, each \
            as a line of bars for the last seconds (half a second a bar) and as its value now. Angles reach from −45° to \
            45°. A face that is not seen now is dimmed. Shows all cameras, unless --camera or --topic name some. q ends it.

            Examples:
              facet top
              facet top --camera porch
              facet top --source /dev/video0
            """
    )

    @OptionGroup var live: SourceOptions

    func run() async throws {
        guard Console.isTerminal else {
            throw CommandFailure("facet top needs a terminal: use `facet watch` for lines, `facet report` for a page")
        }
        let topics = Topic.followed + [.stats]
        try await TopScreen.show(try await live.subscriber(command: "top", topics: topics, all: true))
    }
}
