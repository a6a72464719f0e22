import FaceInference
import FaceMetadata
import FaceTracking

// What a program gives is checked once, so that nothing behind it can trap.

extension FaceSession.Options {
    func check() throws(FaceSessionError) {
        let seconds = 0.0...1_000_000
        try require(detection.maximumFaces >= 1, "maximumFaces", detection.maximumFaces, "at least 1")
        try require(0...1 ~= detection.minimumSize, "minimumSize", detection.minimumSize, "0 to 1")
        try require(seconds ~= detection.searchInterval, "searchInterval", detection.searchInterval, "0 to 1000000")
        if let budget = detection.cpuBudget {
            try require(budget > 0 && budget <= 1000, "cpuBudget", budget, "above 0, up to 1000")
        }
        if let region = detection.region {
            let isInside = [region.x, region.y, region.x + region.width, region.y + region.height].allSatisfy {
                -0.000_001...1.000_001 ~= $0
            }
            try require(isInside && region.area > 0, "region", region, "a part of the picture, 0 to 1")
        }
        let numbers = [
            ("enterDelay", tracking.enterDelay), ("patience", tracking.patience),
            ("smileMerge", tracking.smileMerge), ("stillAfter", tracking.stillAfter), ("hold", tracking.hold),
            ("smallestEyeDistance", tracking.smallestEyeDistance), ("yawLimit", tracking.yawLimit),
            ("look.hold", tracking.look.hold), ("look.release", tracking.look.release),
        ]
        let (look, smile) = (tracking.look, tracking.smile)
        let (levels, holds) = (SmileSettings.levels, SmileSettings.holds)
        try require(levels ~= smile.level, "smile.level", smile.level, "\(levels.lowerBound) to \(levels.upperBound)")
        try require(holds ~= smile.hold, "smile.hold", smile.hold, "0 to \(holds.upperBound)")
        try require(look.cone > 0 && look.cone <= 180, "look.cone", look.cone, "above 0, up to 180")
        try require(look.near.map { $0 > 0 } ?? true, "look.near", look.near ?? 0, "above 0")
        try require(10...170 ~= tracking.fieldOfView, "fieldOfView", tracking.fieldOfView, "10 to 170")
        let angles = [("yaw", look.direction.yaw), ("pitch", look.direction.pitch)]
        for (name, angle) in angles { try require(-90...90 ~= angle, "look.direction.\(name)", angle, "-90 to 90") }
        for zone in tracking.zones {
            try require(seconds ~= zone.dwell, "dwell of the zone \(zone.name)", zone.dwell, "0 to 1000000")
            try require(0...1 ~= zone.minimumSize, "minimumSize of the zone \(zone.name)", zone.minimumSize, "0 to 1")
        }
        for (name, number) in numbers { try require(seconds ~= number, name, number, "0 to 1000000") }
        if let rate = maximumFrameRate {
            try require(rate > 0 && rate.isFinite, "maximumFrameRate", rate, "above 0")
        }
    }
}

/// - Throws: `FaceSessionError.unusable` if a number of a program's is not what it must be.
func require(_ isUsable: Bool, _ name: String, _ value: some Any, _ allowed: String) throws(FaceSessionError) {
    guard isUsable else { throw .unusable(option: name, value: "\(value)", allowed: allowed) }
}
