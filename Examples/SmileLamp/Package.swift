// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SmileLamp",
    dependencies: [.package(name: "facet", path: "../..")],
    targets: [
        .executableTarget(
            name: "SmileLamp",
            dependencies: [.product(name: "FaceSession", package: "facet")]
        )
    ]
)
