import ArgumentParser
import CompanionTestSupport
import FacetTestSupport
import Foundation
import MQTT
import OverlayRendering
import System
import Testing

@testable import ClipDrawing
@testable import Companion
@testable import facet

@Suite("Options")
struct OptionTests {
    private func message(_ arguments: [String]) -> String? {
        do {
            _ = try Facet.parseAsRoot(arguments)
            return nil
        } catch {
            return Facet.message(for: error)
        }
    }

    @Test(
        "that cannot work are refused before anything is done, with the remedy",
        arguments: [
            (["view", "--overlay", "beard"], "- pixelate"),
            (["view", "--overlay", "beard"], "- FILE.yaml"),
            (["watch", "--topic", "faces/"], "must not be empty"),
            (["watch", "--topic", "faces/#"], "must not be empty"),
            (["watch", "grin"], "there is no topic 'grin'"),
            (["watch", "demo.mp4"], "'demo.mp4' is a source, not a topic; write --source demo.mp4"),
            (["demo", "a.mp4", "--source", "b.mp4"], "exclude each other"),
            (["watch", "--count", "0"], "--count must be 1 or more"),
            (["press"], "<event=key>"),
            (["press", "smile"], "'smile' is not an event, = and a key, such as long_blink=ENTER"),
            (["press", "smile="], "is not an event, = and a key"),
            (["press", "long_blnk=ENTER"], "there is no event or sign 'long_blnk'; did you mean long_blink?"),
            (["press", "frown=ENTER"], "there are long_blink, double_blink, wink_left"),
            (["press", "nod=SPAC"], "there is no key 'SPAC'; did you mean SPACE?"),
            (["press", "nod=LEFTALT+"], "there is no key ''"),
            (["view", "--rate", "0"], "it must be 1 to 60"),
            (["view", "--fit", "up"], "'contain', 'cover' or 'fill'"),
            (["snapshot", "-o", "a.png", "--fit", "cover"], "Unknown option '--fit'"),
            (["snapshot", "-o", "a.png", "--at", "1"], "add --over CLIP"),
            (["snapshot", "-o", "a.png", "--over", "a", "--at", "1", "--on", "smile"], "exclude each other"),
            (["snapshot", "-o", "a.png", "--over", "a", "--at=-1"], "0 or more seconds"),
            (["record", "-o", "a.mp4", "--seconds", "0"], "more than 0"),
            (["report", "-o", "a.html", "--seconds", "1e18"], "at most 31536000"),
            (["detect", "maybe"], "'on' and 'off'"),
        ] as [([String], String)]
    )
    func refused(arguments: [String], text: String) {
        #expect(message(arguments)?.contains(text) == true, "\(message(arguments) ?? "accepted")")
    }

    @Test(
        "a value that is none of those there are is refused with all of them",
        arguments: [
            (["view", "--overlay", "heart"], "- hearts"), (["view", "--format=sixl"], "sixel"),
            (["detect", "onn"], "'on' and 'off'"), (["snapshot", "-o", "a.png", "--on", "smiles"], "- smile_end"),
            (["view", "--fit", "covr"], "cover"),
        ]
    )
    func values(arguments: [String], name: String) {
        #expect(message(arguments)?.contains(name) == true, "\(message(arguments) ?? "accepted")")
    }

    @Test(
        "an option that the command does not have is refused, whatever the parser takes its value for",
        arguments: [
            (["watch", "--pasword", "x"], "'facet watch' has no option '--pasword'; did you mean '--password-file'?"),
            (["top", "--pasword", "x"], "; did you mean '--password-file'?"),
            (["press", "--tpoic", "x", "nod=Y"], "; did you mean '--topic'?"),
            (["detect", "--pasword=x", "on"], "; did you mean '--password-file'?"),
            (["report", "clip.mp4", "--outptu", "x"], "; did you mean '--output'?"),
            (["view", "--framerate", "9"], "; did you mean '--rate'?"),
            (["zones", "--bowser"], "; did you mean '--browser'?"), (["zones", "--no-bowser"], "'--no-browser'?"),
            (["relay", "--xyzzy", "x"], "'facet relay' has no option '--xyzzy'"),
            (["watch", "nope", "--json", "--no-such-option"], "has no option '--no-such-option'"),
            (["watch", "nope", "--tls-ca", "a", "--exec=--b", "--", "--pasword"], nil), (["nope", "--pasword"], nil),
        ] as [([String], String?)]
    )
    func unknownOption(arguments: [String], text: String?) {
        #expect(message(arguments) != nil)
        let refusal = Facet.unknownOption(in: arguments)?.message
        #expect(text.map { refusal?.hasSuffix($0) == true } ?? (refusal == nil), "\(refusal ?? "no refusal")")
    }

    @Test("topics and kinds of events that are like others get a suggestion")
    func topicSuggestions() {
        #expect(message(["watch", "smiles"])?.contains("did you mean 'smile'?") == true)
        #expect(message(["watch", "stat"])?.contains("did you mean 'stats'?") == true)
    }

    @Test("the broker comes from the command line, FACET_MQTT or the user's file, which is read strictly")
    func broker() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.file("facet")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let environment = ["XDG_CONFIG_HOME": directory.path, "HOME": "/nowhere"]
        func options(_ text: String, _ arguments: [String] = [], _ more: [String: String] = [:]) throws -> BrokerAccess
        {
            try text.write(toFile: folder + "/facet.yaml", atomically: true, encoding: .utf8)
            return try BrokerOptions.parse(arguments).access(environment: environment.merging(more) { $1 })
        }
        let file = "mqtt: mqtts://me@there\ntopic: [porch/faces]\npasswordFile: password\ntls: {ca: /etc/ca.pem}\n"
        let saved = try options(file)
        #expect(saved.mqtt == "mqtts://me@there" && saved.topic == ["porch/faces"])
        let files = ["passwordFile": folder + "/password", "tls.ca": "/etc/ca.pem"]
        #expect(saved.files == files, "a relative path counts from the file's directory")
        let named = try options(file, [], ["FACET_MQTT": "mqtt://elsewhere"])
        #expect(named.mqtt == "mqtt://elsewhere" && named.files["tls.ca"] == nil && named.topic == ["porch/faces"])
        let given = try options(file, ["--mqtt", "mqtt://here", "--topic", "a"], ["FACET_MQTT": "mqtt://elsewhere"])
        #expect(given.mqtt == "mqtt://here" && given.topic == ["a"])
        let wrong = #expect(throws: CommandFailure.self) { try options("topik: [a]\nmqtt: http://there\n") }
        #expect(
            wrong?.description == """
                the companion's settings have 2 problems:
                  \(folder)/facet.yaml:1: topik: is not a setting; did you mean topic?
                  \(folder)/facet.yaml:2: mqtt: "http://there" is not a broker such as mqtt://host or mqtts://user@host
                """
        )
    }

    @Test("no example in a help text is broken at 80 columns")
    func examples() {
        for command in [Facet.self] + Facet.configuration.subcommands {
            let lines = command.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix("  facet") }
            for line in lines { #expect(line.count < 80, "\(line)") }
        }
    }

    @Test("the broker's options are in `facet help broker`, the other ones with their defaults in each command's help")
    func help() {
        for command in Facet.configuration.subcommands {
            let text = Facet.helpMessage(for: command)
            #expect(!text.contains("--tls-key") && !text.contains("--password-file"), "\(command)")
        }
        let broker = BrokerHelp.helpMessage(includeHidden: true)
        for option in ["--mqtt", "--topic", "--camera", "--password-file", "--tls-ca", "--tls-key"] {
            #expect(broker.contains(option))
        }
        for (command, text) in [
            (View.self, "(1 to 60, default: 25)"), (View.self, "(values: contain, cover, fill; default: contain)"),
            (Fleet.self, "default: 15"), (Apply.self, "default: 32)"), (Calibrate.self, "default: 3"),
            (Serve.self, "(default: 127.0.0.1:8088)"),
        ] as [(any ParsableCommand.Type, String)] {
            #expect(Facet.helpMessage(for: command, columns: 200).contains(text), "\(text)")
        }
    }

    @Test("events, topics, overlays and cameras are completed")
    func completion() {
        let script = Facet.completionScript(for: .bash)
        for text in ["eyes_closed", "long_blink=", "hearts", "facet fleet --json"] {
            #expect(script.contains(text), "\(text)")
        }
    }

    @Test("topics may be named short or in full")
    func topics() {
        #expect(message(["watch", "--topic", "porch/faces", "smile", "porch/faces/detect/state"]) == nil)
    }

    @Test("a file is an overlay by its name, and what is wrong in it is reported before anything is done")
    func ownOverlay() throws {
        func overlay(_ argument: String) throws -> OverlayChoice {
            try DrawingOptions.parse(["--overlay", argument]).overlay
        }
        #expect(try overlay("hearts") == .builtIn(.hearts))
        #expect(try overlay("/somewhere/party.yaml").name == "party")
        #expect(try overlay("party") == .file("docs/examples/overlays/party.yaml"), "an example, by its name")
        #expect(try overlay("hearts.yml").name == "hearts.yml")
        let overlays = try DrawingOptions.parse(["--overlay", exampleOverlay]).style.overlays()
        #expect(overlays.names.last == "party" && overlays.names.count == OverlayName.allCases.count + 1)
        let failure = #expect(throws: CommandFailure.self) {
            try DrawingOptions.parse(["--overlay", "/nowhere/hat.yaml"]).style.overlays()
        }
        #expect(
            failure?.description
                == "the overlay has one problem:\n  /nowhere/hat.yaml: cannot be read: there is no such file"
        )
    }

    @Test("a clip and its messages belong together")
    func clip() throws {
        #expect(throws: ValidationError.self) { try ClipOptions.parse(["--metadata", "a.jsonl"]).load() }
        #expect(throws: ValidationError.self) { try ClipOptions.parse(["--over", "a.mp4"]).load() }
        #expect(throws: CommandFailure.self) {
            try ClipOptions.parse(["--over", "a.mp4", "--metadata", "/nowhere/a.jsonl"]).load()
        }
        #expect(try ClipOptions.parse([]).load() == nil)
    }

    @Test("TLS options without TLS are refused: nothing falls back to plain text")
    func plainTLS() throws {
        let options = try BrokerOptions.parse(["--mqtt", "mqtt://localhost", "--tls-ca", "/tmp/ca.pem"]).access()
        let failure = #expect(throws: MQTTError.self) { try options.settings(command: "watch") }
        #expect(try #require(failure).description.contains("mqtts://"))
    }

    @Test("a password is read from its file, the first line of it")
    func password() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "facet-password-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("secret\nnot this\n".utf8).write(to: file)
        let options = try BrokerOptions.parse(["--mqtt", "mqtt://me@localhost", "--password-file", file.path]).access()
        #expect(try options.settings(command: "watch").password?.revealed() == "secret")
        for user in ["me@", ""] {
            let arguments = ["--mqtt", "mqtt://\(user)localhost", "--password-file", "/nowhere"]
            let missing = try BrokerOptions.parse(arguments).access()
            #expect(throws: MQTTError.self) { try missing.settings(command: "watch") }
        }
        let nobody = try BrokerOptions.parse(["--mqtt", "mqtt://localhost", "--password-file", file.path]).access()
        #expect(throws: CommandFailure.self) { try nobody.settings(command: "watch") }
    }

    @Test("files that cannot be written are refused before any work", arguments: ["a.gif", "a", "/nowhere/a.png"])
    func unwritable(path: String) {
        #expect(throws: CommandFailure.self) { try OutputPath.checkPicture(path, replaces: true) }
    }

    @Test(
        "options of the page that do not fit are refused",
        arguments: [
            ["--https-certificate", "a.pem"], ["--https-key", "a.key"], ["--proxy", "localhost"], ["--listen", "here"],
        ]
    )
    func pageOptions(arguments: [String]) {
        #expect(throws: (any Error).self) { try Facet.parseAsRoot(["serve"] + arguments) }
    }
}
