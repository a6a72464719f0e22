// swift-tools-version: 6.2
import PackageDescription

/// Warnings stop a build in continuous integration only: a compiler that knows new ones must not stop anybody else's.
let warningsAreErrors: [SwiftSetting] =
    Context.environment["FACET_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + warningsAreErrors

/// The modules in which tests compute. With FACET_OPTIMIZE, which `deploy/test` sets, a debug build optimises them.
///
/// Not always: a package with unsafe flags cannot be depended on.
let computing: Set = ["FaceMetadata", "FaceTracking", "Frames", "FaceInference", "MediaFiles", "OverlayRendering"]
let optimizes = Context.environment["FACET_OPTIMIZE"] != nil

/// What programs say that they are built from: `facet_commit` in packaging/common.sh, which the scripts in `deploy` call.
///
/// Not from `Context.gitInformation`: SwiftPM keeps what this file says until its text or the environment changes.
let commit = Context.environment["FACET_COMMIT"] ?? "commit unknown"

/// A Swift library target in `Sources/<name>`.
func library(_ name: String, _ dependencies: [Target.Dependency] = [], embedded: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        resources: embedded.map { .embedInCode($0) },
        swiftSettings: strict
            + (optimizes && computing.contains(name) ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : [])
    )
}

/// The tests of one library, in `Tests/<name>Tests`.
func tests(
    of name: String,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: name), "FacetTestSupport"] + dependencies,
        exclude: exclude,
        resources: resources,
        swiftSettings: strict
    )
}

let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
    name: "facet",
    products: [
        .executable(name: "facetd", targets: ["facetd"]),
        .executable(name: "facet", targets: ["facet"]),
        .library(name: "FacetKit", targets: ["FacetKit"]),
        .library(name: "FaceMessages", targets: ["FaceMessages"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-collections", .upToNextMinor(from: "1.6.0")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-system", .upToNextMinor(from: "1.8.1")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", .upToNextMinor(from: "1.5.0")),
    ],
    targets: [
        // C libraries. Each is imported by exactly one Swift target.
        .target(name: "CBuild", cSettings: [.define("FACET_COMMIT", to: "\"\(commit)\"")]),
        .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
        .systemLibrary(name: "CChafa", pkgConfig: "chafa", providers: [.apt(["libchafa-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
        // Opened when a clip is: only its headers are needed here (libavformat-dev, libavcodec-dev, libswscale-dev).
        .target(name: "CFFmpeg"),
        // Opened when a source needs it. Its stable binary interface is declared here, and a test compares it with the
        // headers: SwiftPM finds these by pkg-config alone, and links what that names.
        .target(name: "CGStreamer"),
        // Opened when events are posted: only its headers are needed here (libcurl4-openssl-dev).
        .target(name: "CCurl"),
        .target(name: "CLiteRT"),
        .systemLibrary(name: "CLinux"),
        .target(name: "CTerminal"),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Opened when a camera needs its conversions: only its headers are needed here (libv4l-dev).
        .target(name: "CV4L2"),

        // Values and pure logic.
        library("FaceMetadata"),
        library("FaceTracking", ["FaceMetadata"]),
        library("FaceMessages", ["FaceMetadata", "CBuild"]),

        // Threads, waiting and small files, for all that follow.
        library("System", ["CLinux", "CCrypto", deque]),

        // The outside world.
        library("Frames", ["FaceMetadata", "System", "CTurboJPEG"]),
        library("V4L2Capture", ["Frames", "FaceMetadata", "System", "CV4L2", logging, system]),
        library("MediaFiles", ["Frames", "FaceMetadata", "System", "CFFmpeg"]),
        library("GStreamerCapture", ["Frames", "FaceMetadata", "System", "CGStreamer"]),
        library("FaceInference", ["Frames", "FaceMetadata", "System", "CLiteRT"]),
        library("MQTT", ["System", "CMosquitto", "CSQLite", deque, logging]),
        library("HTTPServing", ["System", "CMicroHTTPD"]),
        library("SettingsFiles", ["FaceMetadata", "System", yams]),
        library(
            "FacetKit",
            [
                "FaceMetadata", "FaceMessages", "FaceTracking", "Frames", "V4L2Capture", "GStreamerCapture",
                "MediaFiles",
                "FaceInference", "System",
            ]
        ),
        library("OverlayRendering", ["FaceMessages", "FaceMetadata", "Frames", "SettingsFiles", "System", "CCairo"]),
        library("TerminalPictures", ["Frames", "System", "CChafa", "CTerminal", "CZlib"]),

        // The programs.
        library(
            "DaemonCore",
            [
                "FacetKit", "FaceMetadata", "FaceTracking", "FaceMessages", "Frames", "V4L2Capture", "GStreamerCapture",
                "FaceInference", "MQTT", "SettingsFiles", "System", lifecycle, logging, signals,
            ]
        ),
        .executableTarget(
            name: "facetd",
            dependencies: ["DaemonCore", "FaceMessages", "FacetKit", "MQTT", argumentParser, logging],
            swiftSettings: strict
        ),
        library(
            "Companion",
            [
                "OverlayRendering", "TerminalPictures", "FacetKit", "FaceMessages", "FaceMetadata", "FaceInference",
                "FaceTracking", "GStreamerCapture", "MQTT", "MediaFiles", "Frames", "SettingsFiles", "System",
                "V4L2Capture",
                "CCurl", logging,
            ],
            embedded: ["Pages/icons.html", "Pages/style.css"]
        ),
        library("KeyPressing", ["Companion", "FaceMessages", "SettingsFiles", "CEvdev"]),
        library(
            "ClipDrawing",
            [
                "Companion", "OverlayRendering", "TerminalPictures", "FacetKit", "FaceInference", "FaceMessages",
                "FaceMetadata", "MQTT", "MediaFiles", "Frames", "System", "V4L2Capture",
            ],
            embedded: ["Gallery/overlays.html", "Report/report.css", "Report/report.html"]
        ),
        library(
            "LivePage",
            [
                "Companion", "OverlayRendering", "FaceMessages", "FaceMetadata", "FaceInference", "FaceTracking",
                "HTTPServing", "MQTT", "Frames", "SettingsFiles", "System",
            ],
            embedded: [
                "Page/page.html", "Page/login.html", "Page/page.css", "Page/icon.svg", "Page/manifest.json",
                "Page/page.js", "Page/address.js", "Page/advice.js", "Page/dom.js", "Page/feed.js", "Page/film.js",
                "Page/lamp.js", "Page/lanes.js", "Page/stream.js", "Page/tile.js", "Page/zones.html", "Page/zones.js",
                "Page/tool.css", "Page/paint.js", "Page/calibrate.html", "Page/calibrate.js", "Demo/stage.sh",
            ]
        ),
        .executableTarget(
            name: "facet",
            dependencies: [
                "Companion", "ClipDrawing", "KeyPressing", "LivePage", "OverlayRendering", "TerminalPictures",
                "FaceTracking", "FacetKit", "FaceMessages", "MediaFiles", "SettingsFiles", "System", argumentParser,
            ],
            swiftSettings: strict
        ),
        // The programs of an installation and what makes the demo's clip, for one `swift build --target programs`.
        .target(name: "programs", dependencies: ["facetd", "facet", "demo-clip"], path: "Tools/programs"),
        // Makes the demo's clip out of a portrait; a tool of this repository, not a product.
        .executableTarget(
            name: "demo-clip",
            dependencies: ["FaceInference", "MediaFiles", "Frames", "FaceMetadata", "ToolPictures", argumentParser],
            path: "Tools/demo-clip",
            swiftSettings: strict
        ),
        // What those tools and tests that draw have in common.
        .target(name: "ToolPictures", dependencies: ["Frames"], path: "Tools/pictures", swiftSettings: strict),
        // Counts the faces that overlays leave recognisable; a tool of this repository, not a product.
        .executableTarget(
            name: "privacy-check",
            dependencies: ["FaceInference", "MediaFiles", "Frames", "FaceMetadata", "ToolPictures", argumentParser],
            path: "Tools/privacy-check",
            swiftSettings: strict
        ),
        // Runs the capture alone and says what it did, for Tests/camera-vm; a tool of this repository, not a product.
        .executableTarget(
            name: "camera-probe",
            dependencies: ["V4L2Capture", "Frames", "FaceMetadata", argumentParser],
            path: "Tools/camera-probe",
            swiftSettings: strict
        ),

        // Tests.
        .target(
            name: "FacetTestSupport",
            dependencies: ["Frames", "FaceMessages", "FaceMetadata", logging],
            path: "Tests/FacetTestSupport",
            swiftSettings: strict
        ),
        tests(of: "FaceMetadata"),
        tests(
            of: "FaceTracking",
            ["FaceInference", "FaceMessages", "FaceMetadata", "Frames", "MediaFiles", "OverlayRendering"],
            exclude: ["Recorded", "trace-to-numbers.py"]
        ),
        tests(of: "FaceMessages", ["FaceMetadata"], exclude: ["Golden"]),
        tests(of: "Frames", ["FaceMetadata"]),
        tests(of: "System"),
        tests(of: "V4L2Capture", ["Frames", "FaceMetadata", "System", "CV4L2", system]),
        tests(of: "GStreamerCapture", ["Frames", "FaceMetadata", "MediaFiles"]),
        tests(of: "MediaFiles", ["Frames", "FaceMetadata", "CFFmpeg"]),
        tests(
            of: "FaceInference",
            ["Frames", "FaceMetadata", "MediaFiles", "System", "CLiteRT"],
            exclude: ["References"]
        ),
        tests(of: "HTTPServing"),
        tests(of: "MQTT", ["System", logging]),
        tests(of: "OverlayRendering", ["FaceMessages", "FaceMetadata", "Frames", "SettingsFiles"]),
        tests(of: "TerminalPictures", ["FaceMetadata", "Frames", "CZlib"]),
        // What the tests of the companion's modules share.
        .target(
            name: "CompanionTestSupport",
            dependencies: ["Companion", "FaceMessages", "FaceMetadata", "Frames", "MQTT"],
            path: "Tests/CompanionTestSupport",
            swiftSettings: strict
        ),
        tests(
            of: "Companion",
            [
                "CompanionTestSupport", "KeyPressing", "OverlayRendering", "FaceInference", "FaceMessages",
                "FaceMetadata", "FaceTracking", "FacetKit", "Frames", "HTTPServing", "MQTT", "MediaFiles", "System",
                logging,
            ]
        ),
        tests(
            of: "ClipDrawing",
            [
                "Companion", "CompanionTestSupport", "OverlayRendering", "FaceMessages", "FaceMetadata", "FaceTracking",
                "Frames", "MQTT", "MediaFiles", "TerminalPictures",
            ]
        ),
        tests(
            of: "LivePage",
            [
                "ClipDrawing", "Companion", "CompanionTestSupport", "OverlayRendering", "FaceInference", "FaceMessages",
                "FaceMetadata", "FaceTracking", "Frames", "HTTPServing", "MQTT", "MediaFiles", "SettingsFiles", logging,
            ]
        ),
        tests(
            of: "facet",
            [
                "ClipDrawing", "Companion", "CompanionTestSupport", "OverlayRendering", "FaceInference", "FaceMessages",
                "FaceMetadata", "Frames", "MQTT", "MediaFiles", "ToolPictures", argumentParser,
            ]
        ),
        tests(
            of: "FacetKit",
            ["FaceMetadata", "FaceTracking", "FaceInference", "Frames", "MediaFiles", "System", "V4L2Capture"]
        ),
        tests(
            of: "DaemonCore",
            [
                "FaceMessages", "FaceMetadata", "FacetKit", "Frames", "MQTT", "SettingsFiles", "System",
                lifecycle,
                logging,
            ]
        ),
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "DaemonCore", "FacetKit", "FaceInference", "FaceMessages", "FaceMetadata", "FacetTestSupport",
                "Frames", "MQTT", "MediaFiles", "OverlayRendering", "SettingsFiles", "System", "ToolPictures",
                argumentParser, logging,
            ],
            path: "Tools/benchmark",
            exclude: ["face-mesh.py", "portrait-clips.py", "resample.py", "talking-face.py"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "FacetTestSupport", "FaceInference", "FaceMessages", "FaceMetadata", "FacetKit", "MQTT", "facetd",
                "demo-clip",
                logging,
            ],
            exclude: ["Faults"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "FacetTestSupport", "DaemonCore", "FacetKit", "FaceMessages", "FaceMetadata", "Frames", "MQTT",
                "facetd",
                "demo-clip", logging,
            ],
            exclude: ["hold-against-contract.py"],
            swiftSettings: strict
        ),
    ]
)

// deploy/test builds the examples beside everything else; they also are a package of their own, as a user would write it.
if Context.environment["FACET_EXAMPLES"] != nil {
    for (name, library) in [
        ("SmileLamp", "FacetKit"), ("SmilePicture", "FacetKit"), ("OwnFrames", "FacetKit"), ("FaceLog", "FaceMessages"),
    ] {
        package.targets.append(
            .executableTarget(
                name: name,
                dependencies: [.target(name: library)],
                path: "Examples/Sources/\(name)",
                packageAccess: false
            )
        )
    }
}

// deploy/fuzz builds it; a usual build does not.
if Context.environment["FACET_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "DaemonCore", "FaceMessages", "FaceMetadata", "Frames", "HTTPServing", "MQTT", "MediaFiles",
                "OverlayRendering", "SettingsFiles", "V4L2Capture", "LivePage", "CCurl", logging,
            ],
            path: "Tests/Fuzz",
            exclude: ["Corpus"],
            swiftSettings: strict
        )
    )
}
