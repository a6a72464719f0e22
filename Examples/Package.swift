// swift-tools-version: 6.2
import PackageDescription

/// Facet by the address that it was cloned from, or the checkout around the examples, for deploy/test --soak.
let facet: Package.Dependency =
    if let checkout = Context.environment["FACET_CHECKOUT"] {
        .package(name: "facet", path: checkout)
    } else {
        .package(url: "https://git.example.org/facet.git", from: "0.5.0")
    }

let package = Package(
    name: "Examples",
    dependencies: [facet],
    targets: [
        .executableTarget(name: "SmileLamp", dependencies: [.product(name: "FacetKit", package: "facet")]),
        .executableTarget(name: "SmilePicture", dependencies: [.product(name: "FacetKit", package: "facet")]),
        .executableTarget(name: "OwnFrames", dependencies: [.product(name: "FacetKit", package: "facet")]),
        .executableTarget(name: "FaceLog", dependencies: [.product(name: "FaceMessages", package: "facet")]),
    ]
)
