/// Tells whether the place of a face that is not seen any more still shows a person, without recognising whom.
///
/// It remembers the empty room, from a moment without people, and measures how much of the place differs from it. If no
/// empty room is known, it compares the clothes, and then asks a model, loaded for that, for the outlines of people.
/// Everything remembered stays in memory. It takes the frames of one source, in order, from one thread at a time.
package final class PlaceMeter {
    // Tuned on half of the scenes of `benchmark hold`; docs/accuracy.md has the results for the other half.

    /// The seconds between two readings: without people, until the empty room is known and then; with people who are
    /// all seen, for their first readings and then; and with a person who is not seen.
    private static let pauses = (empty: 1.0, known: 4.0, new: 1.0, seen: 6.0, unseen: 0.5)
    private static let firstReadings = 4
    /// The differences, in levels of 0…255, from which on a cell differs from the empty room, or from the last reading.
    private static let difference: Float = 26
    private static let change: Float = 10
    /// The least shares of a place that differ from the empty room with a person there, and change if the person moves.
    private static let occupied = 0.15
    private static let moved = 0.005
    /// The least coverage by the outline, and the least similarity of the clothes, of a person who is there.
    private static let outline = 0.3
    private static let clothes = 0.6
    /// The share of its place that a head must fill to count as there.
    private static let head = 0.5
    /// The number of readings without a face after which everything in view is learnt as the empty room, even a person
    /// with the back to the camera. Before, only small changes are learnt.
    private static let readingsUntilAll = 16
    /// The share of the picture beside people that another scene changes, and the least share beside people.
    private static let otherScene = 0.5
    private static let leastBeside = 0.05
    /// The least share of a place that other people must leave free for it to be judged.
    private static let leastFree = 0.4
    /// The least number of cells of a place for it to be judged.
    private static let leastCells = 30
    /// The seconds without use after which the model is released.
    private static let outlineLifetime = 60.0

    private let options: FaceAnalyzer.Options
    private let workspace = PlaceColors.Workspace()
    private var colors = PlaceColors()
    private var previous = PlaceColors()
    private var room: PlaceColors?
    /// The kind of place that each cell is in.
    private var places = [Place](repeating: .background, count: PlaceColors.count)
    private var gain = SIMD4<Float>(repeating: 1)
    private var readAt: Double?
    /// The number of people seen, and the number of readings since it has changed.
    private var people = (count: 0, readings: 0)
    /// The number of readings in a row without a person.
    private var emptyReadings = 0
    private var replacedAt = -Double.infinity
    private var outline: (model: PersonOutline, usedAt: Double)?
    private var lastError: InferenceError?

    /// The kind of place that a cell is in: a person's who is seen, one's who is not, or the background.
    private enum Place { case background, seen, unseen }

    package init(_ options: FaceAnalyzer.Options) { self.options = options }

    /// Whether a frame of that media time, in seconds, must be read for a request with all its pixels: rarely while no
    /// person is there, and more often while a person who is there is not seen.
    package func isDue(_ request: PlaceRequest, at time: Double) -> Bool {
        guard let readAt, time >= readAt, request.queries.isEmpty, !request.comparesClothes else { return true }
        let pauses = Self.pauses
        let beside = people.readings < Self.firstReadings ? pauses.new : pauses.seen
        let alone = room == nil ? pauses.empty : pauses.known
        let pause = request.isEmpty ? alone : request.hasUnseen ? pauses.unseen : beside
        return time - readAt >= pause - 0.01
    }

    /// Reads a frame, adds the clothes to the observations of the people who are seen in it, and returns what the
    /// places of the others show, by track.
    package func answer(
        _ request: PlaceRequest,
        in frame: Frame,
        _ observations: inout [FaceObservation]
    ) -> [Int: PlaceReading] {
        read(frame, seen: observations.map(\.bounds), unseen: request.unseen)
        for index in observations.indices where !observations[index].isCarriedOver {
            observations[index].clothes = clothes(below: observations[index].bounds)
        }
        // A person who goes where faces are ignored has left.
        let queries = request.queries.filter { query in !options.ignored.contains { $0.contains(query.bounds.center) } }
        return Dictionary(uniqueKeysWithValues: queries.map { ($0.track, reading(of: $0, in: frame)) })
    }

    /// Reads a frame with faces that are seen, and with those of people who are not seen but may be there.
    func read(_ frame: Frame, seen: [NormalizedRect], unseen: [NormalizedRect]) {
        let time = frame.stamp.mediaTime
        if let readAt, time < readAt { beginScene(at: -.infinity) }
        swap(&previous, &colors)
        guard colors.sample(frame, workspace) else {
            swap(&previous, &colors)
            return
        }
        defer { readAt = time }
        let areSame = !seen.isEmpty && unseen.isEmpty && seen.count == people.count
        people = (seen.count, areSame ? people.readings + 1 : 0)
        for index in places.indices { places[index] = .background }
        mark(unseen, .unseen)
        mark(seen, .seen)
        if readAt != nil, isOtherScene(than: previous) { beginScene(at: time) }
        if let room, isOtherScene(than: room) { self.room = nil }
        gain = room?.gain(to: colors, workspace) { [places] in places[$0] == .background } ?? .one
        emptyReadings = seen.isEmpty && unseen.isEmpty ? emptyReadings + 1 : 0
        if emptyReadings > 1 {
            // What was read before the last reading, so that a person who comes in is not part of the empty room.
            let limit = emptyReadings > Self.readingsUntilAll ? .infinity : Self.difference
            if room == nil { room = previous } else { room?.approach(previous, gain: gain, limit: limit) }
        }
        if let outline, time - outline.usedAt > Self.outlineLifetime { self.outline = nil }
    }

    private func beginScene(at time: Double) {
        room = nil
        emptyReadings = 0
        replacedAt = time
    }

    /// The reading of a place in the frame that was last read, which is given again.
    func reading(of query: PlaceQuery, in frame: Frame) -> PlaceReading {
        let found = count(in: query.bounds.headAndShoulders)
        guard query.lastSeen >= replacedAt, found.all >= Self.leastCells else { return .empty }
        guard Double(found.free) >= Self.leastFree * Double(found.all) else { return .covered }
        guard room != nil else {
            let (head, body) = showsClothes(of: query) ? (0, 1) : outlined(query.bounds, in: frame)
            return max(head, body) >= Self.outline ? .person(moved: found.hasMoved, head: head >= Self.head) : .empty
        }
        if found.isOccupied {
            let head = count(in: query.bounds.around(widths: 0.6, heights: -0.7...0.5))
            return .person(moved: found.hasMoved, head: Double(head.differing) >= Self.head * Double(max(head.free, 1)))
        }
        // A person who bends down is below the place.
        let below = count(in: query.bounds.around(widths: 1.6, heights: 2.1...5))
        let isOccupied = below.free >= Self.leastCells && below.isOccupied
        return isOccupied ? .person(moved: below.hasMoved, head: false) : .empty
    }

    /// Numbers of cells of a place: all, those no seen face covers, the changed ones, and those unlike the empty room.
    private struct Count {
        var (all, free, changed, differing) = (0, 0, 0, 0)
        var hasMoved: Bool { Double(changed) >= PlaceMeter.moved * Double(free) }
        var isOccupied: Bool { Double(differing) >= PlaceMeter.occupied * Double(free) }
    }

    private func count(in place: NormalizedRect) -> Count {
        var count = Count()
        PlaceColors.forEachCell(of: place) { index in
            count.all += 1
            guard places[index] != .seen else { return }
            count.free += 1
            if previous.differs(index, from: colors, gain: .one, limit: Self.change) { count.changed += 1 }
            if room?.differs(index, from: colors, gain: gain, limit: Self.difference) == true { count.differing += 1 }
        }
        return count
    }

    /// The colours below a face in the last frame, in the light of the empty room if known; nil if too few are visible.
    func clothes(below bounds: NormalizedRect) -> ClothesColors? {
        var clothes = ClothesColors()
        PlaceColors.forEachCell(of: bounds.around(widths: 0.7, heights: 0.9...2.1)) { index in
            let color = SIMD4<Float>(colors.cells[index]) / gain
            clothes.add(red: color.x, green: color.y, blue: color.z)
        }
        return clothes.total >= Float(Self.leastCells) ? clothes : nil
    }

    /// The reason why the model cannot be used, once; places are judged without the model then.
    package func drainError() -> InferenceError? { exchange(&lastError, with: nil) }

    private func showsClothes(of query: PlaceQuery) -> Bool {
        guard let worn = query.clothes, let now = clothes(below: query.bounds) else { return false }
        return worn.similarity(to: now) >= Self.clothes
    }

    private var hasFailed = false

    /// The coverage of the places of head and body by a person's outline; 0 if the model cannot be used.
    private func outlined(_ bounds: NormalizedRect, in frame: Frame) -> (head: Double, body: Double) {
        guard !hasFailed else { return (0, 0) }
        do throws(InferenceError) {
            let model =
                if let outline { outline.model } else { try PersonOutline(modelDirectory: options.modelDirectory) }
            outline = (model, frame.stamp.mediaTime)
            let last = PlaceColors.side - 1
            return try model.coverage(of: bounds, in: frame) { point in
                let (column, row) = (Int(point.x * Double(last) + 0.5), Int(point.y * Double(last) + 0.5))
                return places[row * PlaceColors.side + column] != .seen
            }
        } catch {
            hasFailed = true
            lastError = error
            return (0, 0)
        }
    }

    private func mark(_ faces: [NormalizedRect], _ whose: Place) {
        for face in faces { PlaceColors.forEachCell(of: face.headAndShoulders) { places[$0] = whose } }
    }

    /// Whether the picture beside people, or if they fill it all of it, mostly differs from an earlier one.
    private func isOtherScene(than earlier: PlaceColors) -> Bool {
        let beside = places.count { $0 == .background }
        let isFull = Double(beside) < Self.leastBeside * Double(PlaceColors.count)
        func mostDiffers(_ gain: SIMD4<Float>) -> Bool {
            var count = 0
            var differing = 0
            for index in stride(from: 0, to: PlaceColors.count, by: 5) where isFull || places[index] == .background {
                count += 1
                if earlier.differs(index, from: colors, gain: gain, limit: Self.difference) { differing += 1 }
            }
            return Double(differing) > Self.otherScene * Double(count)
        }
        // The light is only measured if needed, since that takes as long as the rest.
        return mostDiffers(.one)
            && mostDiffers(earlier.gain(to: colors, workspace) { [places] in isFull || places[$0] == .background })
    }
}
