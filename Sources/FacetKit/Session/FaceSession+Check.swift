// The options that a program sets are checked once, so that no later code can trap on them.

extension FaceSession.Options {
    func check() throws(FaceSessionError) {
        let seconds = 0.0...1_000_000
        try require(detection.maximumFaces, "maximumFaces", "at least 1") { $0 >= 1 }
        try require(detection.minimumSize, "minimumSize", "0 to 1") { 0...1 ~= $0 }
        try require(detection.searchInterval, "searchInterval", "0 to 1000000") { seconds ~= $0 }
        try require(detection.cpuBudget, "cpuBudget", "above 0, up to 1000") { $0 > 0 && $0 <= 1000 }
        try require(detection.region, "region", "a part of the picture, 0 to 1") { region in
            let edges = [region.x, region.y, region.x + region.width, region.y + region.height]
            return edges.allSatisfy { -0.000_001...1.000_001 ~= $0 } && region.area > 0
        }
        let numbers = [
            ("enterDelay", tracking.enterDelay), ("patience", tracking.patience),
            ("smileMerge", tracking.smileMerge), ("stillAfter", tracking.stillAfter), ("hold", tracking.hold),
            ("smallestEyeDistance", tracking.smallestEyeDistance), ("yawLimit", tracking.yawLimit),
            ("look.hold", tracking.look.hold), ("look.release", tracking.look.release),
        ]
        let look = tracking.look
        let smile = tracking.smile
        let levels = SmileSettings.levels
        let holds = SmileSettings.holds
        try require(smile.level, "smile.level", "\(levels.lowerBound) to \(levels.upperBound)") { levels ~= $0 }
        try require(smile.hold, "smile.hold", "0 to \(holds.upperBound)") { holds ~= $0 }
        try require(look.cone, "look.cone", "above 0, up to 180") { $0 > 0 && $0 <= 180 }
        try require(look.near, "look.near", "above 0") { $0 > 0 }
        try require(tracking.fieldOfView, "fieldOfView", "10 to 170") { 10...170 ~= $0 }
        let angles = [("yaw", look.direction.yaw), ("pitch", look.direction.pitch)]
        for (name, angle) in angles { try require(angle, "look.direction.\(name)", "-90 to 90") { -90...90 ~= $0 } }
        for zone in tracking.zones {
            try require(zone.dwell, "dwell of the zone \(zone.name)", "0 to 1000000") { seconds ~= $0 }
            try require(zone.minimumSize, "minimumSize of the zone \(zone.name)", "0 to 1") { 0...1 ~= $0 }
        }
        for (name, number) in numbers { try require(number, name, "0 to 1000000") { seconds ~= $0 } }
        try require(maximumFrameRate, "maximumFrameRate", "above 0") { $0 > 0 && $0.isFinite }
    }
}

/// Throws `FaceSessionError.unusable`, which states `rule`, if a value set by the program is not nil and fails `test`.
func require<Value>(_ value: Value?, _ name: String, _ rule: String, _ test: (Value) -> Bool) throws(FaceSessionError) {
    guard let value, !test(value) else { return }
    throw .unusable(option: name, value: "\(value)", allowed: rule)
}
