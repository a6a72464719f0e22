import FacetTestSupport
import Foundation
import Testing

/// Names of files as old disks, desktops and long titles have them, through the programs as users run them.
@Suite("Files with unusual names", .serialized, .timeLimit(.minutes(5)))
struct FileNameTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let portrait = try Data(contentsOf: URL(filePath: "/usr/local/share/facet/grace_hopper.jpg"))
        try portrait.write(to: URL(filePath: directory.file("a.jpg")))
    }

    /// Runs commands of the shell in the directory; `$e` is the one byte of an é in Latin-1, `$n` a name of 250 bytes.
    private func run(_ script: String) async throws -> String {
        let variables = [
            "FACET": BuildProducts.program("facet"), "FACETD": BuildProducts.program("facetd"), "LC_ALL": "C.UTF-8",
        ]
        let preparation = "cd '\(directory.path)' && e=$(printf '\\351') && n=$(printf '%0250d' 0); "
        let shell = try await ChildProcess("/bin/sh", ["-c", preparation + script], environment: variables)
        await shell.waitUntilEnded()
        #expect(shell.exitStatus == 0, "\(shell.output)")
        return shell.output
    }

    @Test(
        "a name that is no UTF-8 works like any other, and an output has just that name",
        arguments: [
            "cp a.jpg caf$e.jpg; $FACETD --no-mqtt --pace asap --source caf$e.jpg",
            "cp a.jpg caf$e.jpg; $FACET apply caf$e.jpg --overlay box -o out$e.jpg && test -s out$e.jpg",
            "mkdir in$e; cp a.jpg in$e/b$e.jpg; $FACET apply in$e --overlay box -o o$e && test -s o$e/b$e.jpg",
            "$FACET snapshot --source a.jpg -o snap$e.jpg && test -s snap$e.jpg",
            "$FACET record --source a.jpg --seconds 1 -o rec$e.mp4 && test -s rec$e.mp4",
            "$FACET record --source a.jpg --seconds 1 -o r.mp4 && $FACET report r.mp4 -o rep$e.html && test -s rep$e.html",
            "printf 'camera: {name: x}' > c$e.yaml; $FACETD --check --config c$e.yaml",
            "mkdir d$e; cd d$e; cp ../a.jpg b.jpg; $FACET apply b.jpg --overlay box -o c.jpg && test -s c.jpg",
            "mkdir h$e; HOME=$PWD/h$e XDG_STATE_HOME= STATE_DIRECTORY= $FACETD --mqtt mqtt://127.0.0.1:1 --pace asap "
                + "--source a.jpg && ls h$e/.local/state/facet/*.sqlite",
            "ln -s /usr/local/lib/facet m$e; export FACET_DETECTION_MODEL_DIRECTORY=m$e; $FACET snapshot --source a.jpg "
                + "-o s.jpg && $FACETD --no-mqtt --pace asap --source a.jpg",
        ]
    )
    func latin(script: String) async throws {
        let output = try await run(script)
        #expect(!output.contains("no such file"), "\(output)")
    }

    @Test("the address of a file works where its path does")
    func addresses() async throws {
        let place = "file://localhost\(directory.path)"
        _ = try await run(
            """
            cp a.jpg 'my picture 100%.jpg'; u='\(place)/my%20picture%20100%25.jpg'
            $FACETD --no-mqtt --pace asap --source "$u" && $FACET apply "$u" --overlay box -o '\(place)/o%20ut.jpg' &&
            test -s 'o ut.jpg' && $FACET snapshot --source "$u" -o "FILE://$PWD/s.jpg" && test -s s.jpg &&
            $FACET record "--source=file:$PWD/a.jpg" --seconds 1 -o "file://$PWD/r%C3%BC.mp4" && test -s rü.mp4 &&
            $FACET report "file://$PWD/r%C3%BC.mp4" -o "file:$PWD/r.html" && test -s r.html
            """
        )
    }

    @Test("names and topics of all the bytes that the system allows")
    func long() async throws {
        _ = try await run(
            """
            $FACET apply a.jpg --overlay box -o $n.jpg && test -s $n.jpg && $FACET snapshot --source a.jpg -o 1$n.jpg &&
            $FACET record --source a.jpg --seconds 1 -o $n.mp4 && $FACET report $n.mp4 -o $n.htm && test -s $n.htm &&
            $FACET apply $n.jpg --overlay silhouette && ls *.silhouette.jpg
            """
        )
        let topic = String(repeating: "猫", count: 60)
        let outbox = try await run(
            "XDG_STATE_HOME=$PWD/s STATE_DIRECTORY= $FACETD --mqtt mqtt://127.0.0.1:1 --topic \(topic)/faces --pace asap "
                + "--source a.jpg && ls s/facet/*.sqlite"
        )
        #expect(!outbox.contains("too long") && !outbox.contains("cannot be used"))
    }
}
